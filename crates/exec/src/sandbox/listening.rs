//! Who listens where, as the kernel's own tables say.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

/// The state of a socket that takes connections.
const LISTENS: &str = "0A";

/// So many rows are looked at; the tables of a box are as long as its commands want.
const ROWS: usize = 4096;
/// And so many bytes; more than these rows have.
const MOST: u64 = 256 * ROWS as u64;

/// Whether anything takes connections at this port of the network whose tables lie in `folder`, at whatever address; none
/// when nobody can tell.
pub(super) fn anything(folder: &Path, port: u16) -> Option<bool> {
    look(folder, |at| at.port() == port)
}

/// The same for what a connection to this very address reaches.
pub(super) fn at(folder: &Path, to: SocketAddr) -> Option<bool> {
    look(folder, |at| at.port() == to.port() && takes(at.ip(), to.ip()))
}

/// Whether a socket bound to the first address takes connections to the second.
fn takes(bound: IpAddr, to: IpAddr) -> bool {
    match bound {
        IpAddr::V6(bound) if bound.is_unspecified() => true,
        IpAddr::V4(bound) if bound.is_unspecified() => to.is_ipv4(),
        bound => bound.to_canonical() == to,
    }
}

fn look(folder: &Path, fits: impl Fn(SocketAddr) -> bool) -> Option<bool> {
    let older = File::open(folder.join("tcp")).ok()?;
    // A kernel without the newer addresses has no such table.
    let newer = File::open(folder.join("tcp6")).ok();
    let mut told = Some(false);
    for table in [Some(older), newer].into_iter().flatten() {
        match find(table, &fits) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => told = None,
        }
    }
    told
}

/// Whether one of those that listen fits; none when there are too many to look at. They stand before all others, however many
/// connections there are.
fn find(table: impl Read, fits: impl Fn(SocketAddr) -> bool) -> Option<bool> {
    let lines = BufReader::new(table.take(MOST)).lines().skip(1).map_while(Result::ok);
    let mut rows = 0;
    for line in lines {
        let mut words = line.split_whitespace().skip(1);
        let listens = words.next().zip(words.nth(1)).filter(|(_, state)| *state == LISTENS);
        let Some(at) = listens.and_then(|(address, _)| read(address)) else { return Some(false) };
        if fits(at) {
            return Some(true);
        }
        rows += 1;
        if rows == ROWS {
            return None;
        }
    }
    Some(false)
}

/// Reads an address as the kernel writes it: words of 32 bits in the machine's own order, and the port.
fn read(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| u32::from_str_radix(address.get(at..at + 8)?, 16).ok().map(u32::to_ne_bytes);
    let ip = match address.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let [a, b, c, d] = [word(0)?, word(8)?, word(16)?, word(24)?];
            let bytes: [u8; 16] = [a, b, c, d].concat().try_into().ok()?;
            IpAddr::V6(Ipv6Addr::from(bytes))
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, port))
}

#[cfg(test)]
mod tests {
    use super::{ROWS, anything, at, find, takes};
    use std::net::TcpListener;
    use std::path::Path;

    #[test]
    fn a_server_is_found_and_a_port_without_one_is_not() {
        let tables = Path::new("/proc/thread-self/net");
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        assert_eq!((anything(tables, address.port()), at(tables, address)), (Some(true), Some(true)));
        let newer = format!("[::1]:{}", address.port()).parse().unwrap();
        assert_eq!(at(tables, newer), Some(false), "it listens at the older address alone");
        drop(server);
        assert_eq!(anything(Path::new("/not/there"), address.port()), None);
    }

    #[test]
    fn a_table_that_is_too_long_is_not_read_to_its_end() {
        let row =
            |port: usize| format!("   0: 0100007F:{port:04X} 00000000:0000 0A 00000000:00000000 00:00000000 0 0\n");
        let table = |rows: usize| std::iter::once("head\n".to_owned()).chain((1..=rows).map(row)).collect::<String>();
        let at = |rows: usize, port: usize| find(table(rows).as_bytes(), |at| usize::from(at.port()) == port);
        assert_eq!((at(ROWS - 1, ROWS - 1), at(ROWS - 1, ROWS)), (Some(true), Some(false)));
        assert_eq!((at(ROWS + 9, ROWS), at(ROWS + 9, ROWS + 1)), (Some(true), None), "who knows");
    }

    #[test]
    fn who_takes_what() {
        for (bound, to, taken) in [
            ("127.0.0.1", "127.0.0.1", true),
            ("0.0.0.0", "127.0.0.1", true),
            ("::", "127.0.0.1", true),
            ("::", "::1", true),
            ("::1", "::1", true),
            ("::ffff:127.0.0.1", "127.0.0.1", true),
            ("127.0.0.2", "127.0.0.1", false),
            ("0.0.0.0", "::1", false),
            ("192.0.2.1", "127.0.0.1", false),
        ] {
            assert_eq!(takes(bound.parse().unwrap(), to.parse().unwrap()), taken, "{bound} {to}");
        }
    }
}
