//! A process that is born into a control group. Moving it there afterwards would have the kernel wait for every processor,
//! for many milliseconds; the C library has no way to say where a child is born, so that the call is made here.
#![allow(unsafe_code)]

use std::arch::asm;
use std::ffi::{c_int, c_long, c_void};
use std::os::fd::RawFd;

const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// What the kernel takes for a birth.
#[repr(C)]
#[derive(Default)]
struct Wishes {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

/// Like `clone` of the C library, into the group whose folder is open at `group`. The number of the child, or the error
/// number below zero.
///
/// # Safety
/// As for `clone`: `stack` is the whole stack of the child, `main` never returns.
pub(super) unsafe fn clone_into(
    group: RawFd,
    main: extern "C" fn(*mut c_void) -> c_int,
    stack: (*mut c_void, usize),
    flags: c_int,
    arg: *mut c_void,
) -> c_long {
    let wishes = Wishes {
        flags: u64::from((flags & !0xff).unsigned_abs()) | CLONE_INTO_CGROUP,
        exit_signal: u64::from((flags & 0xff).unsigned_abs()),
        stack: stack.0 as u64,
        stack_size: stack.1 as u64,
        cgroup: u64::from(group.unsigned_abs()),
        ..Wishes::default()
    };
    let result: c_long;
    // SAFETY: the child begins with an empty stack of its own, calls `main` on it and never comes back here. For the parent
    // this is a system call like any other.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r13",
            "call r12",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone3 => result,
            in("rdi") &raw const wishes,
            in("rsi") size_of::<Wishes>(),
            in("r12") main,
            in("r13") arg,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!(
            "svc 0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, x21",
            "blr x20",
            "brk 1",
            "2:",
            inlateout("x0") &raw const wishes => result,
            in("x1") size_of::<Wishes>(),
            in("x8") libc::SYS_clone3,
            in("x20") main,
            in("x21") arg,
        );
    }
    result
}
