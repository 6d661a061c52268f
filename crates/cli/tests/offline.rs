//! Nothing but the configured endpoint is connected to, as the kernel sees it. Needs `strace`; with `REASONIX_E2E=1` its
//! absence is a failure.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use support::{Place, binary, finish, unboxed};

pub(crate) fn has_tracer() -> bool {
    let found =
        Command::new("strace").args(["-e", "trace=none", "true"]).output().is_ok_and(|output| output.status.success());
    assert!(found || !support::everything_required(), "REASONIX_E2E=1 needs strace");
    found
}

/// Where a traced program connected to, or sent datagrams to, as `address:port`.
fn destinations(trace: &str) -> BTreeSet<String> {
    let part = |line: &str, from: &str, to: &str| Some(line.split_once(from)?.1.split_once(to)?.0.to_owned());
    let one = |line: &str| {
        let port = part(line, "sin_port=htons(", ")").or_else(|| part(line, "sin6_port=htons(", ")"))?;
        let address = part(line, "inet_addr(\"", "\"").or_else(|| part(line, "inet_pton(AF_INET6, \"", "\""))?;
        Some(format!("{address}:{port}"))
    };
    trace.lines().filter_map(one).collect()
}

#[test]
fn only_the_configured_endpoint_is_connected_to() {
    if !has_tracer() {
        return;
    }
    for kind in ["openai", "responses", "anthropic"] {
        let replies = vec![Reply::call("ls", json!({})), Reply::say("done")];
        let place = Place::with_server(ModelServer::start_blocking(replies));
        let url = place.server.base_url();
        place.home.write(
            "config.toml",
            format!("[[providers]]\nname = \"mock\"\nkind = \"{kind}\"\nbase_url = \"{url}\"\nmodel = \"gpt-5\"\napi_key_env = \"MOCK_KEY\"\n{}", unboxed()),
        );
        let trace = place.home.path().join("trace");
        let (trace_text, bin) = (trace.display().to_string(), binary().display().to_string());
        let args = ["-f", "-qq", "-e", "trace=connect,sendto,sendmsg", "-o", &trace_text, &bin, "run", "hi"];
        let mut command = place.program(Path::new("strace"), &args);
        // Proxies and names of others must not be asked for what is on this machine.
        command.env("HTTPS_PROXY", "http://proxy.example:3128").env("HTTP_PROXY", "http://proxy.example:3128");
        let ran = finish(command.output().unwrap());
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "done\n"), "{kind}: {}", ran.err);
        let seen = destinations(&std::fs::read_to_string(&trace).unwrap());
        assert_eq!(seen, BTreeSet::from([format!("127.0.0.1:{}", place.server.port())]), "{kind}");
    }
}

/// The name under which this file's tests run once more, in a network that has nothing but its own loopback device.
const ALONE: &str = "REASONIX_TEST_ALONE";

#[test]
fn a_machine_with_nothing_but_the_endpoint_is_enough() {
    if std::env::var_os(ALONE).is_some() {
        return;
    }
    let alone = |line: &str| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--net", "sh", "-c", &format!("ip link set lo up && {line}")]).env(ALONE, "1");
        command
    };
    let possible = alone("! ip route get 192.0.2.1").output().is_ok_and(|output| output.status.success());
    assert!(possible || !support::everything_required(), "REASONIX_E2E=1 needs unshare and ip");
    if !possible || !has_tracer() {
        return;
    }
    let tests = std::env::current_exe().unwrap();
    let ran = alone("exec \"$TESTS\" --test-threads 1 offline::").env("TESTS", tests).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("3 passed"), "{said}{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn commands_that_need_no_model_connect_to_nothing() {
    if !has_tracer() {
        return;
    }
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    place.home.write("config.toml", format!("default_model = \"deepseek/deepseek-v4-pro\"\n{}", unboxed()));
    for args in [&["models"][..], &["models", "--known"], &["config", "show"], &["sessions"], &["doctor", "--offline"]]
    {
        let trace = place.home.path().join("trace");
        let (trace_text, bin) = (trace.display().to_string(), binary().display().to_string());
        let mut all = vec!["-f", "-qq", "-e", "trace=connect,sendto,sendmsg", "-o", &trace_text, &bin];
        all.extend(args);
        let ran = finish(place.program(Path::new("strace"), &all).output().unwrap());
        assert!(matches!(ran.code, Some(0 | 1)), "{args:?}: {}", ran.err);
        let seen = destinations(&std::fs::read_to_string(&trace).unwrap());
        assert_eq!(seen, BTreeSet::new(), "{args:?}");
    }
}
