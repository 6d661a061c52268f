//! Which proxy stands between us and an address. Decided once a client, from the settings and the environment.

use crate::{NetError, NetOptions, client};
use reqwest::{NoProxy, Proxy, Url};
use std::net::IpAddr;

/// How an address is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    /// Without anything in between.
    Direct,
    /// Through a proxy, but for the excepted hosts.
    Proxy { address: String, except: String },
}

/// The proxy that requests to `url` would go through, without its password; for messages.
pub fn proxy_for(url: &str, options: &NetOptions) -> Option<String> {
    let target = client::parse(url).ok()?;
    told(&target, route(&target, options, &environment).ok()?)
}

/// Whether an address could be that of a proxy.
pub fn check_proxy(address: &str) -> Result<(), NetError> {
    let address = with_kind(address.trim());
    let bare_name = !address.split("://").last().unwrap_or_default().contains(['.', ':', '[']);
    let bad = || NetError::Proxy { proxy: bare(&address), reason: "expected http://HOST:PORT".to_owned() };
    rule(&address, "")?;
    let local = address.ends_with("://localhost");
    if bare_name && !local { Err(bad()) } else { Ok(()) }
}

/// An address with the kind of proxy that it is of.
fn with_kind(address: &str) -> String {
    if address.contains("://") { address.to_owned() } else { format!("http://{address}") }
}

/// The proxy of a route, unless the host is among its exceptions.
fn told(target: &Url, route: Route) -> Option<String> {
    match route {
        Route::Direct => None,
        Route::Proxy { except, .. } if is_excepted(target.host_str().unwrap_or_default(), &except) => None,
        Route::Proxy { address, .. } => Some(bare(&address)),
    }
}

pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Decides the route. `lookup` reads the environment.
pub(crate) fn route(
    target: &Url,
    options: &NetOptions,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Route, NetError> {
    if is_loopback(target) {
        return Ok(Route::Direct);
    }
    let either = |upper: &str| {
        let value = lookup(upper).or_else(|| lookup(&upper.to_ascii_lowercase()));
        value.filter(|value| !value.trim().is_empty())
    };
    let named = if target.scheme() == "https" { "HTTPS_PROXY" } else { "HTTP_PROXY" };
    let found = options.proxy.clone().or_else(|| either(named)).or_else(|| either("ALL_PROXY"));
    let Some(address) = found.filter(|address| !address.trim().is_empty()) else { return Ok(Route::Direct) };
    let address = with_kind(address.trim());
    let except = options.no_proxy.clone().or_else(|| either("NO_PROXY")).unwrap_or_default();
    rule(&address, &except)?;
    Ok(Route::Proxy { address, except })
}

/// The rule for the client.
pub(crate) fn rule(address: &str, except: &str) -> Result<Proxy, NetError> {
    let bad = |reason: String| NetError::Proxy { proxy: bare(address), reason };
    let scheme = address.split("://").next().unwrap_or_default();
    if !matches!(scheme, "http" | "https" | "socks5" | "socks5h") {
        return Err(bad(format!("unknown kind of proxy `{scheme}`")));
    }
    let proxy = Proxy::all(address).map_err(|error| bad(error.to_string()))?;
    Ok(proxy.no_proxy(NoProxy::from_string(except)))
}

/// True when the list of exceptions (as `NO_PROXY` has it) names this host, a domain above it, or everything.
pub(crate) fn is_excepted(host: &str, except: &str) -> bool {
    except.split(',').map(|entry| entry.trim().trim_start_matches('.').to_ascii_lowercase()).any(|entry| {
        let above = host.strip_suffix(entry.as_str()).is_some_and(|rest| rest.ends_with('.'));
        entry == "*" || (!entry.is_empty() && (host == entry || above))
    })
}

/// True for this machine; no proxy could reach it.
fn is_loopback(target: &Url) -> bool {
    let host = target.host_str().unwrap_or_default().trim_matches(['[', ']']);
    is_local_name(host) || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified())
}

/// True for `localhost` and the names below it.
pub(crate) fn is_local_name(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host == "localhost" || host.ends_with(".localhost")
}

/// The address without user and password.
fn bare(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("http", address));
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    format!("{scheme}://{host}")
}

#[cfg(test)]
mod tests {
    use super::{Route, bare, route, told};
    use crate::{NetError, NetOptions};
    use reqwest::Url;

    fn decide(url: &str, proxy: Option<&str>, env: &[(&str, &str)]) -> Result<Route, NetError> {
        let options = NetOptions { proxy: proxy.map(str::to_owned), ..NetOptions::default() };
        let lookup = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        route(&Url::parse(url).expect("a url"), &options, &lookup)
    }

    fn through(address: &str, except: &str) -> Result<Route, NetError> {
        Ok(Route::Proxy { address: address.into(), except: except.into() })
    }

    #[test]
    fn the_environment_is_honoured_by_scheme() {
        let env = [("HTTPS_PROXY", "http://s:1"), ("http_proxy", "p:2"), ("NO_PROXY", "a.example")];
        assert_eq!(decide("https://h/", None, &env), through("http://s:1", "a.example"));
        assert_eq!(decide("http://h/", None, &env), through("http://p:2", "a.example"));
        assert_eq!(decide("http://h/", None, &[("ALL_PROXY", "socks5h://x:3")]), through("socks5h://x:3", ""));
        assert_eq!(decide("http://h/", None, &[("HTTP_PROXY", " ")]), Ok(Route::Direct));
        assert_eq!(decide("http://h/", Some("http://mine:4"), &env), through("http://mine:4", "a.example"));
    }

    #[test]
    fn a_host_that_is_reached_directly_has_no_proxy_to_blame() {
        for (url, want) in [
            ("https://a.example/v1", None),
            ("https://b.a.example/v1", None),
            ("https://b.example/v1", Some("http://s:1")),
        ] {
            let route = decide(url, Some("http://user:secret@s:1"), &[("NO_PROXY", "a.example")]).expect("a route");
            assert_eq!(told(&Url::parse(url).expect("a url"), route).as_deref(), want, "{url}");
        }
    }

    #[test]
    fn loopback_is_never_behind_a_proxy() {
        for host in ["localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.9.9.9", "[::1]", "0.0.0.0"] {
            let url = format!("http://{host}:8080/v1");
            assert_eq!(decide(&url, Some("http://proxy:1"), &[]), Ok(Route::Direct), "{host}");
        }
        assert!(matches!(decide("http://localhost.example/", Some("http://proxy:1"), &[]), Ok(Route::Proxy { .. })));
    }

    #[test]
    fn a_bad_proxy_is_named_without_its_password() {
        let error = decide("http://h/", Some("ftp://user:secret@proxy:1"), &[]).expect_err("no such kind");
        assert!(error.to_string().contains("ftp://proxy:1"), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
        assert_eq!(bare("user:p@ss@host:1"), "http://host:1");
    }
}
