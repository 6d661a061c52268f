//! The filter entry by entry, by doing what the kernel does with it. That the kernel does so is tried in `tests/sandbox.rs`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::{
    ABOUT_OTHERS, ALLOW, ARCH, ASKING, DENIED_TO_READERS, DENIED_WITHOUT_WALLS, MODES, OPENING, SIGNALS, Whom,
    knocking, program, refuse,
};
use libc::{c_long, sock_filter};

/// What the filter answers to a call.
fn answer(filter: &[sock_filter], arch: u32, call: c_long, args: [u64; 2]) -> u32 {
    answer_all(filter, arch, call, [args[0], args[1], 0, 0])
}

fn answer_all(filter: &[sock_filter], arch: u32, call: c_long, args: [u64; 4]) -> u32 {
    let load = |at: u32| match at {
        0 => u32::try_from(call).unwrap(),
        4 => arch,
        16 => args[0] as u32,
        24 => args[1] as u32,
        32 => args[2] as u32,
        40 => args[3] as u32,
        other => panic!("{other}"),
    };
    let (mut at, mut held) = (0usize, 0u32);
    loop {
        let step = filter[at];
        at += 1;
        let mut jump = |taken: bool| at += usize::from(if taken { step.jt } else { step.jf });
        match u32::from(step.code) {
            0x20 => held = load(step.k),
            0x54 => held &= step.k,
            0x15 => jump(held == step.k),
            0x35 => jump(held >= step.k),
            0x45 => jump(held & step.k != 0),
            0x06 => return step.k,
            other => panic!("{other:#x}"),
        }
    }
}

const EPERM: u32 = refuse(libc::EPERM);

/// Written out a second time, so that nothing falls out of the list unseen.
#[test]
fn c5_every_call_of_the_list_is_refused() {
    let refused: &[(&str, c_long)] = &[
        ("ptrace", libc::SYS_ptrace),
        ("process_vm_readv", libc::SYS_process_vm_readv),
        ("process_vm_writev", libc::SYS_process_vm_writev),
        ("process_madvise", libc::SYS_process_madvise),
        ("pidfd_getfd", libc::SYS_pidfd_getfd),
        ("kcmp", libc::SYS_kcmp),
        ("mount", libc::SYS_mount),
        ("umount2", libc::SYS_umount2),
        ("pivot_root", libc::SYS_pivot_root),
        ("chroot", libc::SYS_chroot),
        ("setns", libc::SYS_setns),
        ("unshare", libc::SYS_unshare),
        ("open_tree", libc::SYS_open_tree),
        ("open_tree_attr", 467),
        ("move_mount", libc::SYS_move_mount),
        ("mount_setattr", libc::SYS_mount_setattr),
        ("fsopen", libc::SYS_fsopen),
        ("fsconfig", libc::SYS_fsconfig),
        ("fsmount", libc::SYS_fsmount),
        ("fspick", libc::SYS_fspick),
        ("open_by_handle_at", libc::SYS_open_by_handle_at),
        ("kexec_load", libc::SYS_kexec_load),
        ("kexec_file_load", libc::SYS_kexec_file_load),
        ("init_module", libc::SYS_init_module),
        ("finit_module", libc::SYS_finit_module),
        ("delete_module", libc::SYS_delete_module),
        ("bpf", libc::SYS_bpf),
        ("perf_event_open", libc::SYS_perf_event_open),
        ("io_uring_setup", libc::SYS_io_uring_setup),
        ("io_uring_enter", libc::SYS_io_uring_enter),
        ("io_uring_register", libc::SYS_io_uring_register),
        ("userfaultfd", libc::SYS_userfaultfd),
        ("fanotify_init", libc::SYS_fanotify_init),
        ("keyctl", libc::SYS_keyctl),
        ("add_key", libc::SYS_add_key),
        ("request_key", libc::SYS_request_key),
        ("reboot", libc::SYS_reboot),
        ("swapon", libc::SYS_swapon),
        ("swapoff", libc::SYS_swapoff),
        ("acct", libc::SYS_acct),
        ("quotactl", libc::SYS_quotactl),
        ("syslog", libc::SYS_syslog),
        ("vhangup", libc::SYS_vhangup),
        ("settimeofday", libc::SYS_settimeofday),
        ("clock_settime", libc::SYS_clock_settime),
        ("sethostname", libc::SYS_sethostname),
        ("setdomainname", libc::SYS_setdomainname),
        #[cfg(target_arch = "x86_64")]
        ("iopl", libc::SYS_iopl),
        #[cfg(target_arch = "x86_64")]
        ("ioperm", libc::SYS_ioperm),
    ];
    for internet in [false, true] {
        let filter = program(Whom::Any { internet });
        for (name, call) in refused {
            assert_eq!(answer(&filter, ARCH, *call, [0, 0]), EPERM, "{name}");
        }
        for call in [libc::SYS_read, libc::SYS_openat, libc::SYS_execve, libc::SYS_exit_group, libc::SYS_futex] {
            assert_eq!(answer(&filter, ARCH, call, [0, 0]), ALLOW, "{call}");
        }
        assert_eq!(refused.len(), super::DENIED.len());
        assert_eq!(answer(&filter, ARCH, libc::SYS_clone3, [0, 0]), refuse(libc::ENOSYS));
        assert_eq!(answer(&filter, ARCH ^ 1, libc::SYS_read, [0, 0]), EPERM, "another way to call");
        #[cfg(target_arch = "x86_64")]
        assert_eq!(answer(&filter, ARCH, libc::SYS_read | 0x4000_0000, [0, 0]), EPERM, "x32");
    }
}

#[test]
fn c5_namespaces_typing_and_sockets_are_refused_by_their_arguments() {
    let filter = program(Whom::Any { internet: true });
    let asked =
        |call: c_long, first: i32, second: u64| answer(&filter, ARCH, call, [u64::from(first.cast_unsigned()), second]);
    for (name, flag) in [
        ("user", libc::CLONE_NEWUSER),
        ("mount", libc::CLONE_NEWNS),
        ("pid", libc::CLONE_NEWPID),
        ("net", libc::CLONE_NEWNET),
        ("ipc", libc::CLONE_NEWIPC),
        ("uts", libc::CLONE_NEWUTS),
        ("cgroup", libc::CLONE_NEWCGROUP),
    ] {
        assert_eq!(asked(libc::SYS_clone, flag | libc::SIGCHLD, 0), EPERM, "{name}");
    }
    assert_eq!(asked(libc::SYS_clone, libc::SIGCHLD, 0), ALLOW);
    for request in [libc::TIOCSTI, libc::TIOCLINUX, libc::TIOCSETD] {
        assert_eq!(asked(libc::SYS_ioctl, 0, request), EPERM, "{request:#x}");
        assert_eq!(asked(libc::SYS_ioctl, 0, request | 0x1_0000_0000), EPERM, "only the lower half counts");
    }
    assert_eq!(asked(libc::SYS_ioctl, 0, libc::TCGETS), ALLOW);
    let kind = |kind: i32| u64::from(kind.cast_unsigned());
    for family in [libc::AF_PACKET, libc::AF_VSOCK, libc::AF_BLUETOOTH, libc::AF_ALG, libc::AF_CAN, libc::AF_XDP] {
        assert_eq!(asked(libc::SYS_socket, family, kind(libc::SOCK_STREAM)), EPERM, "{family}");
    }
    for raw in [libc::SOCK_RAW, libc::SOCK_RAW | libc::SOCK_CLOEXEC, super::SOCK_PACKET] {
        assert_eq!(asked(libc::SYS_socket, libc::AF_INET, kind(raw)), EPERM, "{raw}");
        assert_eq!(asked(libc::SYS_socket, libc::AF_INET6, kind(raw)), EPERM, "{raw}");
    }
    for (family, want) in [(libc::AF_UNIX, ALLOW), (libc::AF_NETLINK, ALLOW), (libc::AF_INET, EPERM)] {
        let shut = program(Whom::Any { internet: false });
        let first = u64::from(family.cast_unsigned());
        assert_eq!(answer(&shut, ARCH, libc::SYS_socket, [first, kind(libc::SOCK_STREAM)]), want, "{family}");
    }
    assert_eq!(asked(libc::SYS_socket, libc::AF_INET, kind(libc::SOCK_STREAM)), ALLOW);
    for (family, want) in [(libc::AF_UNIX, ALLOW), (libc::AF_PACKET, EPERM), (libc::AF_TIPC, EPERM)] {
        assert_eq!(asked(libc::SYS_socketpair, family, kind(libc::SOCK_DGRAM)), want, "{family}");
    }
}

const READERS: [Whom; 3] = [Whom::Reader, Whom::LooseReader { signals: true }, Whom::LooseReader { signals: false }];

#[test]
fn c14_a_reader_makes_no_sockets_and_no_memory_that_others_share() {
    for whom in READERS {
        let filter = program(whom);
        for call in DENIED_TO_READERS {
            for family in [0, 1, 2, 10, 16, 17, 40] {
                assert_eq!(answer(&filter, ARCH, *call, [family, 1]), EPERM, "{whom:?} {call}");
            }
        }
        for call in [libc::SYS_read, libc::SYS_openat, libc::SYS_execve, libc::SYS_socketpair, libc::SYS_pipe2] {
            assert_eq!(answer(&filter, ARCH, call, [1, 1]), ALLOW, "{whom:?} {call}");
        }
        assert_eq!(answer(&filter, ARCH, libc::SYS_ptrace, [0, 0]), EPERM, "what nobody may, a reader may not");
    }
}

/// A datagram of one end of a pair can be sent to any socket that has a path.
#[test]
fn c14_a_reader_makes_only_pairs_that_stay_with_each_other() {
    const FLAGS: i32 = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    for filter in READERS.map(program) {
        let pair = |family: i32, kind: i32| answer(&filter, ARCH, libc::SYS_socketpair, [family as u64, kind as u64]);
        for kind in 0..16 {
            let stays = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET].contains(&kind);
            let wanted = if stays { ALLOW } else { EPERM };
            assert_eq!((pair(libc::AF_UNIX, kind), pair(libc::AF_UNIX, kind | FLAGS)), (wanted, wanted), "{kind}");
            for family in [libc::AF_UNSPEC, libc::AF_INET, libc::AF_NETLINK, libc::AF_TIPC] {
                assert_eq!(pair(family, kind), EPERM, "{family} {kind}");
            }
        }
    }
}

#[test]
fn c14_a_reader_without_walls_changes_no_mode_owner_time_attribute_lock_or_process() {
    for (whom, signals) in [(Whom::LooseReader { signals: true }, ALLOW), (Whom::LooseReader { signals: false }, EPERM)]
    {
        let filter = program(whom);
        for call in DENIED_WITHOUT_WALLS {
            assert_eq!(answer(&filter, ARCH, *call, [0, 0]), EPERM, "{call}");
        }
        for call in SIGNALS {
            assert_eq!(answer(&filter, ARCH, *call, [1, 9]), signals, "{call}");
        }
        for (call, _) in ABOUT_OTHERS {
            assert_eq!(answer(&filter, ARCH, *call, [0, 0]), ALLOW, "about itself: {call}");
            assert_eq!(answer(&filter, ARCH, *call, [1, 0]), EPERM, "about another: {call}");
        }
        for request in ASKING {
            assert_eq!(answer(&filter, ARCH, libc::SYS_ioctl, [3, *request]), ALLOW);
        }
        // FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY and the typing of TIOCSTI.
        for request in [0x4008_6602, 0x401c_5820, 0x4080_6685, 0x5412] {
            assert_eq!(answer(&filter, ARCH, libc::SYS_ioctl, [3, request]), EPERM, "{request:#x}");
        }
        for lock in [libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW, libc::F_SETLEASE] {
            assert_eq!(answer(&filter, ARCH, libc::SYS_fcntl, [3, lock as u64]), EPERM);
        }
        assert_eq!(answer(&filter, ARCH, libc::SYS_fcntl, [3, libc::F_GETFL as u64]), ALLOW);
    }
}

#[test]
fn c5_no_file_becomes_a_program_that_runs_as_its_owner() {
    let filter = program(Whom::Any { internet: true });
    for (call, index) in MODES {
        for (mode, wanted) in [(0o4755u64, EPERM), (0o6755, EPERM), (0o755, ALLOW), (0o2755, ALLOW)] {
            let mut args = [0u64; 4];
            args[*index as usize] = mode;
            assert_eq!(answer_all(&filter, ARCH, *call, args), wanted, "{call} {mode:o}");
        }
    }
    for (call, flags) in OPENING {
        let ask = |flag: i32, mode: u64| {
            let mut args = [0u64; 4];
            args[*flags as usize] = flag as u64;
            args[*flags as usize + 1] = mode;
            answer_all(&filter, ARCH, *call, args)
        };
        for makes in [libc::O_CREAT | libc::O_WRONLY, libc::O_TMPFILE | libc::O_RDWR] {
            assert_eq!((ask(makes, 0o4755), ask(makes, 0o755)), (EPERM, ALLOW), "{call}");
        }
        assert_eq!(ask(libc::O_RDONLY, 0o4755), ALLOW, "nothing is made, so the mode is whatever was there");
        assert_eq!(ask(libc::O_RDONLY | libc::O_DIRECTORY, 0o4755), ALLOW);
    }
}

/// Where the kernel is to ask, it asks about connections, and everything else is as it was.
#[test]
fn asking_about_connections_changes_nothing_else() {
    let plain = program(Whom::Any { internet: true });
    let asking = knocking(&plain);
    for call in 0..500 {
        for args in [[0, 0], [libc::AF_INET as u64, libc::SOCK_RAW as u64], [libc::AF_UNIX as u64, u64::MAX]] {
            let (one, other) = (answer(&plain, ARCH, call, args), answer(&asking, ARCH, call, args));
            let wanted = if call == libc::SYS_connect { libc::SECCOMP_RET_USER_NOTIF } else { one };
            assert_eq!(other, wanted, "{call} {args:?}");
        }
        assert_eq!(answer(&asking, ARCH + 1, call, [0, 0]), EPERM, "{call}");
    }
    let connect = |length: usize| answer_all(&asking, ARCH, libc::SYS_connect, [3, 0, length as u64, 0]);
    let internet = [size_of::<libc::sockaddr_in>(), 24, size_of::<libc::sockaddr_in6>()];
    for length in internet.into_iter().chain([0, 109, 111, size_of::<libc::sockaddr_storage>()]) {
        assert_eq!(connect(length), libc::SECCOMP_RET_USER_NOTIF, "{length}");
    }
    assert_eq!(connect(size_of::<libc::sockaddr_un>()), ALLOW, "a local socket");
}
