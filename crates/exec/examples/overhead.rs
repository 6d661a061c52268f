use reasonix_exec::*;
use std::time::Instant;
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let ballast = vec![1u8; 20 << 20];
    let n = 300;
    for _ in 0..2 {
        let t = Instant::now();
        for _ in 0..n {
            tokio::process::Command::new("/bin/bash").args(["-c", "true"]).output().await.unwrap();
        }
        let plain = t.elapsed() / n;
        let c = Command::shell("/bin/bash".as_ref(), "true", "/".as_ref()).with_environment(Environment::inherited(&[]));
        let t = Instant::now();
        for _ in 0..n {
            run(&c, Default::default(), &|_| {}).await.unwrap();
        }
        eprintln!("plain {plain:?} ours {:?} {}", t.elapsed() / n, ballast.len());
    }
    let c = Command::shell("/bin/bash".as_ref(), "head -c 2000000000 /dev/zero", "/".as_ref());
    let t = Instant::now();
    let f = run(&c, Default::default(), &|_| {}).await.unwrap();
    eprintln!("2GB {:?} {} {}", t.elapsed(), f.output.total(), std::fs::read_to_string("/proc/self/status").unwrap().lines().find(|l| l.starts_with("VmHWM")).unwrap());
}
