//! `reasonix doctor --net`: every address that these settings lead to, and why. Connects to none of them.

use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Style, clean};
use reasonix_config::{BashBoxing, Hosts, Settings};
use reasonix_proto::Phrase;
use serde_json::json;
use std::path::Path;

/// An address and why it would be connected to.
struct Address {
    /// Where to; `*` for anywhere.
    to: String,
    /// Through which proxy.
    through: Option<String>,
    why: Phrase,
    /// When, as a stable word.
    when: &'static str,
}

pub(super) fn net(context: &Context, as_json: bool) -> anyhow::Result<Exit> {
    let found = addresses(&context.loaded.settings, context.root());
    let style = Style::get();
    if as_json {
        let rows: Vec<_> = found
            .iter()
            .map(|address| json!({"to": address.to, "through": address.through, "when": address.when, "why": address.why}))
            .collect();
        say::line(&say::json(&json!({"v": 1, "addresses": rows}))?)?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        say::line(&style.text(&Phrase::new("cli.net_none")))?;
    }
    for address in &found {
        say::line(&clean(&format!("{}  {}", address.to, style.text(&address.why))))?;
        if let Some(proxy) = &address.through {
            say::line(&clean(&format!("    {}", style.text(&Phrase::new("cli.net_through").with("proxy", proxy)))))?;
        }
    }
    say::line(&style.text(&Phrase::new("cli.net_end")))?;
    Ok(Exit::Done)
}

fn addresses(settings: &Settings, root: &Path) -> Vec<Address> {
    let mut found = Vec::new();
    for provider in settings.providers.iter().filter(|provider| !provider.base_url.is_empty()) {
        let used = settings.default_model().is_ok_and(|model| model.provider.name == provider.name);
        let code = if used { "cli.net_model" } else { "cli.net_other_model" };
        found.push(Address {
            to: without_secrets(&provider.base_url),
            through: reasonix_engine::proxy_of_provider(settings, provider),
            why: Phrase::new(code).with("provider", &provider.name),
            when: if used { "prompt" } else { "when_chosen" },
        });
    }
    for plugin in settings.plugins.iter().filter(|plugin| plugin.enabled) {
        if let Some(url) = &plugin.url {
            found.push(Address {
                to: without_secrets(url),
                through: reasonix_engine::proxy_of(settings, url),
                why: Phrase::new("cli.net_plugin").with("name", &plugin.name),
                when: "session",
            });
        }
    }
    let sandbox = &settings.sandbox;
    let plain = |to: &str, why: Phrase| Address { to: to.to_owned(), through: None, why, when: "command" };
    if sandbox.bash == BashBoxing::Off {
        found.push(plain("*", Phrase::new("cli.net_unboxed")));
    } else if sandbox.network {
        found.push(plain("*", Phrase::new("cli.net_open")));
    } else {
        let hosts = Hosts::new(&sandbox.allow_hosts, root).names();
        found.extend(hosts.iter().map(|host| plain(host, Phrase::new("cli.net_host"))));
    }
    found
}

/// The address without a user, a password and what is asked of it.
fn without_secrets(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or(url);
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    format!("{scheme}://{}{path}", host.rsplit('@').next().unwrap_or(host))
}

#[cfg(test)]
mod tests {
    use super::without_secrets;

    #[test]
    fn secrets_are_not_shown() {
        for (url, shown) in [
            ("https://api.example.com/v1", "https://api.example.com/v1"),
            ("https://me:secret@api.example.com/v1?key=secret#x", "https://api.example.com/v1"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("${URL}", "${URL}"),
        ] {
            assert_eq!(without_secrets(url), shown);
        }
    }
}
