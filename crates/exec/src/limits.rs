//! What our own process asks of the kernel.
#![allow(unsafe_code)]

/// Makes a write beyond the file size limit an error instead of the end of the process, so that a log can be kept
/// whole and the reason told. Children get the default back.
pub fn survive_file_size_limit() {
    // SAFETY: ignoring a signal installs no handler and touches no memory.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
