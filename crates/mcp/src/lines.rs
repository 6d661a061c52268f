//! A child that is talked to through its pipes, one message a line.

use crate::frame::{Framed, Frames};
use crate::spec::ServerLimits;
use reasonix_exec::{ChildStdin, ChildStdout};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// Bytes that are read at once.
const PIECE: usize = 64 * 1024;

/// The pipes of a child.
pub(crate) struct Lines {
    stdout: ChildStdout,
    stdin: Arc<Mutex<Option<ChildStdin>>>,
    frames: Frames,
    /// A child that does not read for this long is stuck.
    patience: Duration,
    /// It is no use to go on.
    broken: CancellationToken,
    why: Arc<OnceLock<String>>,
}

impl Lines {
    /// `why` takes the reason when talking to it comes to an end by its own fault.
    pub(crate) fn new(
        (stdin, stdout): (ChildStdin, ChildStdout),
        limits: &ServerLimits,
        why: Arc<OnceLock<String>>,
    ) -> Self {
        let frames = Frames::new(limits.frame, limits.noise);
        let stdin = Arc::new(Mutex::new(Some(stdin)));
        Self { stdout, stdin, frames, patience: limits.write, broken: CancellationToken::new(), why }
    }
}

impl Transport<RoleClient> for Lines {
    type Error = io::Error;

    fn send(&mut self, item: ClientJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (stdin, broken, why) = (Arc::clone(&self.stdin), self.broken.clone(), Arc::clone(&self.why));
        let patience = self.patience;
        async move {
            let mut line = serde_json::to_vec(&item).map_err(io::Error::other)?;
            line.push(b'\n');
            let written = tokio::time::timeout(patience, async {
                let mut stdin = stdin.lock().await;
                let pipe = stdin.as_mut().ok_or(io::ErrorKind::NotConnected)?;
                pipe.write_all(&line).await
            });
            let failed = match written.await {
                Ok(written) => return written,
                Err(_) => format!("it did not read for {} s", patience.as_secs_f32()),
            };
            // Half a line may be in the pipe; nothing can follow it.
            let _ = why.set(failed.clone());
            broken.cancel();
            Err(io::Error::new(io::ErrorKind::TimedOut, failed))
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            match self.frames.next() {
                Framed::Message(message) => return Some(*message),
                Framed::More => {}
                Framed::Broken(why) => {
                    let _ = self.why.set(why);
                    return None;
                }
            }
            let buffer = self.frames.buffer();
            buffer.reserve(PIECE);
            let mut piece = (&mut self.stdout).take(PIECE as u64);
            let came = tokio::select! {
                came = piece.read_buf(buffer) => came,
                () = self.broken.cancelled() => return None,
            };
            if !matches!(came, Ok(1..)) {
                return None;
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // Whoever writes holds the pipe; then the end of the child closes it.
        if let Ok(mut stdin) = self.stdin.try_lock() {
            stdin.take();
        }
        Ok(())
    }
}
