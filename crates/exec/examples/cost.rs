//! What a command costs: plain `bash -c true`, the same through `exec`, and in a box. Medians, taken in turns so that a busy
//! machine is busy for all of them. `cargo run --release -p reasonix-exec --example cost [rounds]`

#![allow(clippy::print_stdout, reason = "it is a program")]

use reasonix_exec::{
    BoxOptions, Caches, Command, Confinement, Environment, ExecError, Ports, Sandbox, SandboxLevel, Surfaces, run,
};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

fn options(work: &Path) -> BoxOptions {
    BoxOptions {
        writable: vec![work.to_owned()],
        opened: Vec::new(),
        readable: vec![],
        closed: vec![],
        shown: vec![],
        masked: None,
        linked: None,
        fixed: None,
        caches: Caches::Session,
        network: false,
        quarantine: work.join("quarantine"),
        environment: Environment::inherited(&[]),
    }
}

fn plain(work: &Path) -> Duration {
    let started = Instant::now();
    let _ = std::process::Command::new("/bin/bash").args(["-c", "true"]).current_dir(work).status();
    started.elapsed()
}

/// Somebody who would be asked about ports of the machine, as a person in a chat is.
#[derive(Debug)]
struct Nobody;

impl Ports for Nobody {
    fn admit(&self, _: u16) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(std::future::ready(false))
    }
}

async fn through(work: &Path, confinement: &Confinement, asked: bool) -> Result<Duration, ExecError> {
    let command = Command::shell(Path::new("/bin/bash"), "true", work)
        .with_environment(Environment::inherited(&[]))
        .with_confinement(confinement.clone())
        .with_ports(asked.then(|| Arc::new(Nobody) as Arc<dyn Ports>));
    let started = Instant::now();
    run(&command, CancellationToken::new(), &|_| {}).await?;
    Ok(started.elapsed())
}

/// The median and the least, in milliseconds. On a busy machine the least is what says something.
fn figures(mut all: Vec<Duration>) -> (f64, f64) {
    all.sort();
    let at = |index: usize| all.get(index).copied().unwrap_or_default().as_secs_f64() * 1000.0;
    (at(all.len() / 2), at(0))
}

/// What a look for repositories costs that commands in a box have before and after them.
fn look(work: &Path) {
    for folder in 0..1_000 {
        let folder = work.join(format!("{}/{folder}", folder % 40));
        let _ = std::fs::create_dir_all(&folder);
        for file in 0..20 {
            let _ = std::fs::write(folder.join(file.to_string()), "");
        }
    }
    let roots = [work.to_owned()];
    let all = (0..50).map(|_| {
        let started = Instant::now();
        let _ = Surfaces::within(&roots, None);
        started.elapsed()
    });
    let (median, least) = figures(all.collect());
    println!("a look at 20,000 files    median {median:6.2} ms           least {least:6.2} ms");
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), ExecError> {
    let rounds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(200);
    let work = std::env::temp_dir().join(format!("reasonix-cost-{}", std::process::id()));
    let _ = std::fs::create_dir_all(&work);
    let started = Instant::now();
    let boxed = Confinement::Boxed(Sandbox::prepare(options(&work), SandboxLevel::Full)?);
    println!("prepare (once a session)  {:6.2} ms", started.elapsed().as_secs_f64() * 1000.0);
    let reading = boxed.held().unwrap_or_default();
    let (mut bare, mut ours, mut held, mut watched, mut readers) = (vec![], vec![], vec![], vec![], vec![]);
    for _ in 0..rounds {
        bare.push(plain(&work));
        ours.push(through(&work, &Confinement::None, false).await?);
        held.push(through(&work, &boxed, false).await?);
        watched.push(through(&work, &boxed, true).await?);
        readers.push(through(&work, &reading, false).await?);
    }
    let plain = figures(bare);
    for (name, (median, least)) in [
        ("plain bash -c true", plain),
        ("through exec, no box", figures(ours)),
        ("in a box of level full", figures(held)),
        ("the same, in a chat", figures(watched)),
        ("the same, only reading", figures(readers)),
    ] {
        let (more, least_more) = (median - plain.0, least - plain.1);
        println!("{name:24}  median {median:6.2} ms ({more:+.2})   least {least:6.2} ms ({least_more:+.2})");
    }
    look(&work);
    drop(boxed);
    let _ = std::fs::remove_dir_all(&work);
    Ok(())
}
