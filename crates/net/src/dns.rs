//! Names to addresses, without the C library: its resolver does not work in a static binary. The hosts file comes
//! first, then the name servers of the system; where the system names none, none is asked.

use crate::proxy::is_local_name;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{LookupIpStrategy, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock};

/// The resolver of one client. The system's settings are read when the first name is looked up.
#[derive(Default)]
pub(crate) struct Names(Arc<OnceLock<Result<TokioResolver, String>>>);

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let cell = Arc::clone(&self.0);
        Box::pin(async move {
            if is_local_name(name.as_str()) {
                return Ok(addresses(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]));
            }
            let resolver = cell.get_or_init(resolver).as_ref().map_err(Clone::clone)?;
            let found =
                resolver.lookup_ip(name.as_str()).await.map_err(|error| told(name.as_str(), &error.to_string()))?;
            Ok(addresses(found.iter().collect()))
        })
    }
}

/// A lookup that failed, in words for people.
fn told(name: &str, error: &str) -> String {
    if error.contains("no records found") {
        return format!("no address is known for {name}");
    }
    format!("{name} could not be looked up: {error}")
}

fn addresses(found: Vec<IpAddr>) -> Addrs {
    Box::new(found.into_iter().map(|ip| SocketAddr::new(ip, 0)))
}

fn resolver() -> Result<TokioResolver, String> {
    let mut builder = TokioResolver::builder_tokio().unwrap_or_else(|_| {
        let nowhere = ResolverConfig::from_parts(None, Vec::new(), Vec::new());
        TokioResolver::builder_with_config(nowhere, TokioRuntimeProvider::default())
    });
    builder.options_mut().ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    builder.build().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::{Names, told};
    use reqwest::dns::Resolve;
    use std::net::IpAddr;

    #[test]
    fn a_name_that_nobody_knows_is_said_in_words() {
        let raw = "no records found for Query { name: Name(\"api.x.\"), query_type: A }";
        assert_eq!(told("api.x", raw), "no address is known for api.x");
        assert_eq!(told("api.x", "request timed out"), "api.x could not be looked up: request timed out");
    }

    #[tokio::test]
    async fn localhost_needs_no_name_server() {
        let names = Names::default();
        for name in ["localhost", "LocalHost", "api.localhost"] {
            let found = names.resolve(name.parse().expect("a name")).await.expect("an address");
            let ips: Vec<IpAddr> = found.map(|address| address.ip()).collect();
            assert!(!ips.is_empty() && ips.iter().all(IpAddr::is_loopback), "{name}: {ips:?}");
        }
        assert!(names.0.get().is_none(), "the system's settings were not read");
    }
}
