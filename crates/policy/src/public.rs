//! Files of the system that say nothing about anybody: which system it is, what its programs are called, how its headers
//! read. Only the system's owner can change them.

/// Files that tell what machine and system this is.
#[rustfmt::skip]
const FILES: &[&str] = &[
    "/etc/os-release", "/usr/lib/os-release", "/etc/lsb-release", "/etc/debian_version", "/etc/redhat-release", "/etc/fedora-release", "/etc/centos-release",
    "/etc/alpine-release", "/etc/arch-release", "/etc/issue", "/etc/timezone", "/etc/shells", "/etc/services", "/etc/protocols", "/etc/mime.types",
    "/proc/cpuinfo", "/proc/meminfo", "/proc/version", "/proc/loadavg", "/proc/uptime", "/proc/filesystems",
];

/// Folders with programs, headers and texts that come with the system.
const FOLDERS: &[&str] = &[
    "/bin",
    "/lib",
    "/lib64",
    "/sbin",
    "/usr/bin",
    "/usr/include",
    "/usr/lib",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/local/bin",
    "/usr/local/include",
    "/usr/local/lib",
    "/usr/sbin",
    "/usr/share",
    "/usr/src",
];

/// True for a path that may be read unasked though it lies outside of the workspace. Folders count where a kernel holds
/// readers: what a link in them leads to may be closed to them, and nobody else says so.
pub fn is_public(path: &str, held: bool) -> bool {
    let climbs = path.split('/').any(|part| part == "..");
    let below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    FILES.contains(&path) || (held && !climbs && FOLDERS.iter().any(|folder| below(folder)))
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn what_everybody_may_read() {
        for (path, unheld, held) in [
            ("/etc/os-release", true, true),
            ("/proc/cpuinfo", true, true),
            ("/etc/passwd", false, false),
            ("/etc/os-release/../passwd", false, false),
            ("/proc/self/environ", false, false),
            ("/usr/include/stdio.h", false, true),
            ("/usr/include", false, true),
            ("/usr/includes", false, false),
            ("/usr/share/../../etc/passwd", false, false),
            ("/usr", false, false),
            ("/", false, false),
            ("os-release", false, false),
        ] {
            assert_eq!((is_public(path, false), is_public(path, true)), (unheld, held), "{path}");
        }
    }
}
