//! The seccomp filter: system calls that no command of a coding agent needs and that widen what it can reach.

use libc::{
    BPF_ABS, BPF_ALU, BPF_AND, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W, sock_filter,
};

#[cfg(target_arch = "x86_64")]
const ARCH: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCH: u32 = 0xC000_00B7;
/// Numbers from here on are calls of the x32 way to call.
const X32: u32 = 0x4000_0000;

/// The old name for raw frames.
const SOCK_PACKET: i32 = 10;

const NR: u32 = 0;
const ARCH_AT: u32 = 4;
const fn arg(index: u32) -> u32 {
    16 + 8 * index
}

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const fn refuse(errno: i32) -> u32 {
    libc::SECCOMP_RET_ERRNO | errno.cast_unsigned()
}

/// New namespaces of any kind.
const NAMESPACES: i32 = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

const DENIED: &[libc::c_long] = &[
    // Other processes' memory and descriptors.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_by_handle_at,
    // The kernel itself, and its large attack surfaces.
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // The machine.
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
];

/// What messages between processes that only read would leave behind, or tell others.
const DENIED_TO_READERS: &[libc::c_long] = &[
    libc::SYS_socket,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_msgget,
    libc::SYS_msgctl,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// What Landlock leaves open to those that only read, where no walls stand around them: modes, owners, times, attributes,
/// locks, and other processes' limits and places.
const DENIED_WITHOUT_WALLS: &[libc::c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
    FILE_SETATTR,
    libc::SYS_flock,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_process_mrelease,
];
const FCHMODAT2: libc::c_long = 452;
const OPEN_TREE_ATTR: libc::c_long = 467;
const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;
const FILE_SETATTR: libc::c_long = 469;

/// Calls about another process by its number, with the argument that is the number: only 0, oneself, is let through.
const ABOUT_OTHERS: &[(libc::c_long, u32)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
];

/// Ways to signal others.
const SIGNALS: &[libc::c_long] = &[
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_send_signal,
];

/// Requests to a file or terminal that only ask; others may change attributes of files that are open for reading.
const ASKING: &[libc::Ioctl] =
    &[libc::TCGETS, libc::TIOCGWINSZ, libc::TIOCGPGRP, libc::FIONREAD, libc::FIOCLEX, libc::FIONCLEX, libc::FIONBIO];

/// Calls that give a file its mode, with the argument that is the mode. A program that runs as whoever owns it would outlive
/// the box.
const MODES: &[(libc::c_long, u32)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
    (libc::SYS_mknodat, 2),
];
const S_ISUID: u32 = 0o4000;

/// The same for calls that open a file, with the argument of their flags before it: the mode means something only where a
/// file may be made.
const OPENING: &[(libc::c_long, u32)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1),
    (libc::SYS_openat, 2),
];
const MAKES: u32 = (libc::O_CREAT | libc::O_TMPFILE & !libc::O_DIRECTORY).cast_unsigned();

/// Who is filtered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whom {
    /// A command; `internet` says whether sockets of the internet may be made at all.
    Any { internet: bool },
    /// One that only reads, between walls that hold what it does to files and other processes.
    Reader,
    /// One that only reads, where nothing but Landlock holds that; `signals` says whether Landlock keeps signals in.
    LooseReader { signals: bool },
}

/// The filter as the kernel takes it.
pub(super) fn program(whom: Whom) -> Vec<sock_filter> {
    let mut code = vec![load(ARCH_AT), jump(BPF_JEQ, ARCH, 1, 0), give(refuse(libc::EPERM)), load(NR)];
    if cfg!(target_arch = "x86_64") {
        code.extend([jump(BPF_JGE, X32, 0, 1), give(refuse(libc::EPERM))]);
    }
    for call in DENIED {
        code.extend([jump(BPF_JEQ, number(*call), 0, 1), give(refuse(libc::EPERM))]);
    }
    // Its flags lie in memory, where no filter can look; without it the C library takes `clone`.
    code.extend([jump(BPF_JEQ, number(libc::SYS_clone3), 0, 1), give(refuse(libc::ENOSYS))]);
    let clone = [jump(BPF_JSET, NAMESPACES.cast_unsigned(), 0, 1), give(refuse(libc::EPERM))];
    code.extend(on(libc::SYS_clone, 0, &clone));
    if !matches!(whom, Whom::Any { .. }) {
        code.extend(for_readers(whom));
    }
    for (call, index) in MODES {
        code.extend(on(*call, *index, &[jump(BPF_JSET, S_ISUID, 0, 1), give(refuse(libc::EPERM))]));
    }
    for (call, flags) in OPENING {
        let makes = [jump(BPF_JSET, MAKES, 0, 3), load(arg(*flags + 1)), jump(BPF_JSET, S_ISUID, 0, 1)];
        code.extend(on(*call, *flags, &[&makes[..], &[give(refuse(libc::EPERM))]].concat()));
    }
    let typing = [libc::TIOCSTI, libc::TIOCLINUX, libc::TIOCSETD].map(|request| u32::try_from(request).unwrap_or(0));
    let typing: Vec<_> =
        typing.into_iter().flat_map(|request| [jump(BPF_JEQ, request, 0, 1), give(refuse(libc::EPERM))]).collect();
    code.extend(on(libc::SYS_ioctl, 1, &typing));
    if let Whom::Any { internet } = whom {
        for call in [libc::SYS_socket, libc::SYS_socketpair] {
            code.extend(on(call, 0, &sockets(internet)));
        }
    }
    code.push(give(ALLOW));
    code
}

/// How long the address of a local socket is when a program gives it whole, as the resolvers of the C library do.
const LOCAL_ADDRESS: u32 = size_of::<libc::sockaddr_un>() as u32;

/// The same filter, which has the kernel ask us before a command connects. A second one beside it would cost each command
/// as much time again. Nobody is woken for an address as long as that of a local socket, since every shell has some of those
/// at its start: whatever is so long and no local one goes its way in the box's own network, as all do that are not bridged.
pub(super) fn knocking(filter: &[sock_filter]) -> Vec<sock_filter> {
    let mut code = filter.to_vec();
    let unless_local = [jump(BPF_JEQ, LOCAL_ADDRESS, 1, 0), give(libc::SECCOMP_RET_USER_NOTIF)];
    let ask = on(libc::SYS_connect, 2, &unless_local);
    // The last word is for calls that nothing was said about; at that place the number of the call is at hand.
    code.splice(code.len().saturating_sub(1)..code.len().saturating_sub(1), ask);
    code
}

fn for_readers(whom: Whom) -> Vec<sock_filter> {
    let mut denied: Vec<libc::c_long> = DENIED_TO_READERS.to_vec();
    let mut code = Vec::new();
    if let Whom::LooseReader { signals } = whom {
        denied.extend_from_slice(DENIED_WITHOUT_WALLS);
        denied.extend_from_slice(if signals { &[] } else { SIGNALS });
        for (call, index) in ABOUT_OTHERS {
            code.extend(on(*call, *index, &[jump(BPF_JEQ, 0, 1, 0), give(refuse(libc::EPERM))]));
        }
        let asking = ASKING.iter().flat_map(|request| {
            let request = u32::try_from(*request).unwrap_or(0);
            [jump(BPF_JEQ, request, 0, 1), give(ALLOW)]
        });
        let asking: Vec<_> = asking.chain([give(refuse(libc::EPERM))]).collect();
        code.extend(on(libc::SYS_ioctl, 1, &asking));
        let locks = [libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW, libc::F_SETLEASE];
        let locks: Vec<_> = locks
            .into_iter()
            .flat_map(|lock| [jump(BPF_JEQ, lock.cast_unsigned(), 0, 1), give(refuse(libc::EPERM))])
            .collect();
        code.extend(on(libc::SYS_fcntl, 1, &locks));
    }
    code.extend(on(libc::SYS_socketpair, 0, &pairs()));
    code.extend(denied.into_iter().flat_map(|call| [jump(BPF_JEQ, number(call), 0, 1), give(refuse(libc::EPERM))]));
    code
}

/// Which sockets may be made: local ones, netlink, and those of the internet but for raw ones.
fn sockets(internet: bool) -> Vec<sock_filter> {
    let family = |family: i32| family.cast_unsigned();
    let mut code = Vec::new();
    for plain in [libc::AF_UNIX, libc::AF_NETLINK] {
        code.extend([jump(BPF_JEQ, family(plain), 0, 1), give(ALLOW)]);
    }
    if internet {
        code.extend([jump(BPF_JEQ, family(libc::AF_INET), 2, 0), jump(BPF_JEQ, family(libc::AF_INET6), 1, 0)]);
    }
    code.push(give(refuse(libc::EPERM)));
    if internet {
        code.extend(kind());
        for raw in [libc::SOCK_RAW, SOCK_PACKET] {
            code.extend([jump(BPF_JEQ, raw.cast_unsigned(), 0, 1), give(refuse(libc::EPERM))]);
        }
    }
    code
}

/// Which pairs one that only reads may make: those whose ends stay with each other. A datagram goes wherever each `sendto`
/// says, to any socket of the machine that has a path.
fn pairs() -> Vec<sock_filter> {
    let [load, mask] = kind();
    vec![
        jump(BPF_JEQ, libc::AF_UNIX.cast_unsigned(), 1, 0),
        give(refuse(libc::EPERM)),
        load,
        mask,
        jump(BPF_JEQ, libc::SOCK_STREAM.cast_unsigned(), 2, 0),
        jump(BPF_JEQ, libc::SOCK_SEQPACKET.cast_unsigned(), 1, 0),
        give(refuse(libc::EPERM)),
    ]
}

/// Loads the kind of socket, without the flags that stand beside it.
fn kind() -> [sock_filter; 2] {
    [load(arg(1)), sock_filter { code: short(BPF_ALU | BPF_AND | BPF_K), jt: 0, jf: 0, k: 0xf }]
}

/// For one call: looks at an argument and goes through `body`; what that does not refuse is allowed.
fn on(call: libc::c_long, index: u32, body: &[sock_filter]) -> Vec<sock_filter> {
    let over = u8::try_from(body.len() + 2).unwrap_or(u8::MAX);
    let mut code = vec![jump(BPF_JEQ, number(call), 0, over), load(arg(index))];
    code.extend_from_slice(body);
    code.push(give(ALLOW));
    code
}

fn load(at: u32) -> sock_filter {
    sock_filter { code: short(BPF_LD | BPF_W | BPF_ABS), jt: 0, jf: 0, k: at }
}

fn jump(how: u32, value: u32, yes: u8, no: u8) -> sock_filter {
    sock_filter { code: short(BPF_JMP | how | BPF_K), jt: yes, jf: no, k: value }
}

fn give(answer: u32) -> sock_filter {
    sock_filter { code: short(BPF_RET | BPF_K), jt: 0, jf: 0, k: answer }
}

fn short(code: u32) -> u16 {
    u16::try_from(code).unwrap_or(0)
}

fn number(call: libc::c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
