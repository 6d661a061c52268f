//! The proxy as SOCKS5 clients speak to it (RFC 1928): connections only, without a login.

use super::{Destination, Doorman, PATIENCE, Refused, join, reach, upstream::Upstream};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub(super) const VERSION: u8 = 5;
const NO_LOGIN: u8 = 0;
const CONNECT: u8 = 1;
const GRANTED: u8 = 0;
const NOT_ALLOWED: u8 = 2;
const UNREACHABLE: u8 = 4;
const NO_COMMAND: u8 = 7;

pub(super) async fn attend(client: &mut TcpStream, doorman: &dyn Doorman, upstream: &Upstream) -> io::Result<()> {
    let hello = tokio::time::timeout(PATIENCE, greet(client)).await.map_err(io::Error::other)?;
    let Some(to) = hello? else { return reply(client, NO_COMMAND).await };
    match reach(client, &to, doorman, upstream).await {
        Ok(server) => {
            reply(client, GRANTED).await?;
            join(client, server).await
        }
        Err(Refused::Denied(_)) => reply(client, NOT_ALLOWED).await,
        Err(Refused::Failed(_)) => reply(client, UNREACHABLE).await,
    }
}

/// Reads what the client wants; none when it is something that is not offered.
async fn greet(client: &mut TcpStream) -> io::Result<Option<Destination>> {
    let mut head = [0; 2];
    client.read_exact(&mut head).await?;
    let mut methods = vec![0; usize::from(head[1])];
    client.read_exact(&mut methods).await?;
    if !methods.contains(&NO_LOGIN) {
        client.write_all(&[VERSION, 0xff]).await?;
        return Err(io::ErrorKind::InvalidData.into());
    }
    client.write_all(&[VERSION, NO_LOGIN]).await?;
    let mut request = [0; 4];
    client.read_exact(&mut request).await?;
    let [_, command, _, kind] = request;
    let host = match kind {
        1 => Ipv4Addr::from(client.read_u32().await?).to_string(),
        4 => Ipv6Addr::from(client.read_u128().await?).to_string(),
        3 => {
            let mut name = vec![0; usize::from(client.read_u8().await?)];
            client.read_exact(&mut name).await?;
            String::from_utf8_lossy(&name).into_owned()
        }
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    let port = client.read_u16().await?;
    Ok(Destination::new(&host, port).filter(|_| command == CONNECT))
}

async fn reply(client: &mut TcpStream, code: u8) -> io::Result<()> {
    client.write_all(&[VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0]).await
}
