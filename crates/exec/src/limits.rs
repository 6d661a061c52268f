//! What our own process asks of the kernel.
#![allow(unsafe_code)]

/// How many files this process may have open at a time.
pub fn most_open_files() -> u64 {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Makes a write beyond the file size limit an error instead of the end of the process, so that a log can be kept
/// whole and the reason told. Children get the default back.
pub fn survive_file_size_limit() {
    // SAFETY: ignoring a signal installs no handler and touches no memory.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
