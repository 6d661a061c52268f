//! Connections to the outside: names looked up, addresses checked, the user's own proxy in between where there is one.

use super::Destination;
use super::address::is_public;
use crate::dns::Names;
use crate::proxy::{self, Route};
use crate::{NetOptions, client};
use reqwest::Url;
use reqwest::dns::Resolve;
use std::net::{IpAddr, SocketAddr};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The outside.
pub(super) struct Upstream {
    options: NetOptions,
    names: Names,
}

impl Upstream {
    pub(super) fn new(options: NetOptions) -> Self {
        Self { options, names: Names::default() }
    }

    /// Connects. An address of a private network is taken only when somebody `named` the host itself.
    pub(super) async fn connect(&self, to: &Destination, named: bool) -> Result<TcpStream, String> {
        let literal = to.host.parse::<IpAddr>().ok();
        if let Some(ip) = literal
            && !named
            && !is_public(ip)
        {
            return Err(private(to, ip));
        }
        let shown = if to.host.contains(':') { format!("[{}]", to.host) } else { to.host.clone() };
        let scheme = if to.port == 80 { "http" } else { "https" };
        let url = client::parse(&format!("{scheme}://{shown}:{}/", to.port)).map_err(|error| error.to_string())?;
        let route = proxy::route(&url, &self.options, &proxy::environment).map_err(|error| error.to_string())?;
        match route {
            Route::Proxy { address, except } if !proxy::is_excepted(&to.host, &except) => {
                self.through(&address, &format!("{shown}:{}", to.port)).await
            }
            _ => {
                let found = match literal {
                    Some(ip) => vec![ip],
                    None => self.look_up(&to.host).await?,
                };
                self.first_of(to, found, named).await
            }
        }
    }

    async fn look_up(&self, host: &str) -> Result<Vec<IpAddr>, String> {
        let name = host.parse().map_err(|_| format!("{host} is no name of a host"))?;
        let found = self.names.resolve(name).await.map_err(|error| format!("{host} was not found: {error}"))?;
        Ok(found.map(|address| address.ip()).collect())
    }

    /// Connects to the first address that answers; the very ones that were checked are tried.
    async fn first_of(&self, to: &Destination, found: Vec<IpAddr>, named: bool) -> Result<TcpStream, String> {
        let mut reason = format!("{} has no address", to.host);
        for ip in found {
            if !named && !is_public(ip) {
                return Err(private(to, ip));
            }
            match self.dial(SocketAddr::new(ip, to.port)).await {
                Ok(stream) => return Ok(stream),
                Err(error) => reason = format!("{} cannot be reached: {error}", to.host),
            }
        }
        Err(reason)
    }

    async fn dial(&self, address: SocketAddr) -> Result<TcpStream, String> {
        let connected = tokio::time::timeout(self.options.connect_timeout, TcpStream::connect(address)).await;
        let stream = connected.map_err(|_| "no answer".to_owned())?.map_err(|error| error.to_string())?;
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }

    /// Asks the user's own proxy for a connection.
    async fn through(&self, proxy: &str, authority: &str) -> Result<TcpStream, String> {
        let bad = |what: &str| format!("the proxy of this machine {what}");
        let url = Url::parse(proxy).map_err(|_| bad("has no good address"))?;
        if url.scheme() != "http" {
            return Err(bad("is of a kind that commands cannot be sent through; only http is"));
        }
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let addresses = match host.parse::<IpAddr>() {
            Ok(ip) => vec![ip],
            Err(_) => self.look_up(&host).await?,
        };
        let first = addresses.first().ok_or_else(|| bad("was not found"))?;
        let mut stream = self.dial(SocketAddr::new(*first, url.port().unwrap_or(80))).await?;
        let login = authorization(&url);
        let request = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n{login}\r\n");
        stream.write_all(request.as_bytes()).await.map_err(|error| error.to_string())?;
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let byte = stream.read_u8().await.map_err(|error| bad(&format!("hung up: {error}")))?;
            answer.push(byte);
            if answer.len() > 16 * 1024 {
                return Err(bad("answered too much"));
            }
        }
        let answer = String::from_utf8_lossy(&answer);
        let status = answer.split(' ').nth(1).unwrap_or_default();
        if status == "200" { Ok(stream) } else { Err(bad(&format!("answered {status} for {authority}"))) }
    }
}

fn private(to: &Destination, ip: IpAddr) -> String {
    format!("{} leads to {ip}, which is not a public address; name the host itself to allow that", to.host)
}

/// The header that tells a proxy who we are; empty when its address says nothing about that.
fn authorization(url: &Url) -> String {
    if url.username().is_empty() {
        return String::new();
    }
    let pair = format!("{}:{}", url.username(), url.password().unwrap_or_default());
    format!("Proxy-Authorization: Basic {}\r\n", base64(pair.as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let index = usize::try_from(group >> (18 - 6 * place) & 63).unwrap_or(0);
            let letter = LETTERS.get(index).copied().unwrap_or(b'A');
            text.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{authorization, base64};
    use reqwest::Url;

    #[test]
    fn the_users_proxy_is_told_who_asks() {
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("user:pass", "dXNlcjpwYXNz")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
        let url = Url::parse("http://user:pass@proxy:3128").expect("an address");
        assert_eq!(authorization(&url), "Proxy-Authorization: Basic dXNlcjpwYXNz\r\n");
        assert_eq!(authorization(&Url::parse("http://proxy:3128").expect("an address")), "");
    }
}
