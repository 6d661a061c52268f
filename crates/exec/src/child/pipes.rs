//! The pipes of a child that others hold: what is written to it, what is read from it, and how much that was.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// What went through the pipes of a child.
#[derive(Debug)]
pub(super) struct Traffic {
    begun: Instant,
    /// Milliseconds from the beginning to the last byte, in whatever direction.
    last: AtomicU64,
    /// Bytes that came from it.
    came: AtomicU64,
    /// How many there may be; 0 for any number.
    most: u64,
    /// There were more.
    pub(super) full: CancellationToken,
    /// Everybody below has ended.
    pub(super) over: CancellationToken,
}

impl Traffic {
    pub(super) fn new(most: u64) -> Self {
        let (last, came) = (AtomicU64::new(0), AtomicU64::new(0));
        let (full, over) = (CancellationToken::new(), CancellationToken::new());
        Self { begun: Instant::now(), last, came, most, full, over }
    }

    /// When the last byte went through.
    pub(super) fn last(&self) -> Instant {
        self.begun + Duration::from_millis(self.last.load(Ordering::Relaxed))
    }

    /// So many bytes came from the child.
    pub(super) fn came(&self, bytes: usize) {
        if bytes == 0 {
            return;
        }
        self.moved();
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let came = self.came.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if self.most > 0 && came > self.most {
            self.full.cancel();
        }
    }

    fn moved(&self) {
        let millis = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.fetch_max(millis, Ordering::Relaxed);
    }
}

/// The pipe to a child. Who keeps the child can close it, wherever its other owner is.
#[derive(Debug)]
pub(super) struct Line {
    state: Mutex<State>,
    traffic: Arc<Traffic>,
}

#[derive(Debug)]
struct State {
    /// None once it is closed.
    pipe: Option<Sender>,
    /// Who waits for room in it.
    waiting: Option<Waker>,
}

impl Line {
    pub(super) fn new(pipe: Sender, traffic: Arc<Traffic>) -> Self {
        Self { state: Mutex::new(State { pipe: Some(pipe), waiting: None }), traffic }
    }

    /// Closes it: the child reads the end of the file, and whoever writes gets an error.
    pub(super) fn close(&self) {
        let (pipe, waiting) = {
            let mut state = self.state();
            (state.pipe.take(), state.waiting.take())
        };
        drop(pipe);
        if let Some(waiting) = waiting {
            waiting.wake();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a child reads. Nothing is kept back: what was written is in the pipe. A write to a child that has ended, or that
/// was told to close, is an error of the kind `BrokenPipe`.
#[derive(Debug)]
pub struct ChildStdin(pub(super) Arc<Line>);

impl AsyncWrite for ChildStdin {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut state = self.0.state();
        let Some(pipe) = &mut state.pipe else { return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())) };
        let written = Pin::new(pipe).poll_write(cx, bytes);
        match &written {
            Poll::Pending => state.waiting = Some(cx.waker().clone()),
            Poll::Ready(Ok(1..)) => self.0.traffic.moved(),
            Poll::Ready(_) => {}
        }
        written
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.close();
        Poll::Ready(Ok(()))
    }
}

impl Drop for ChildStdin {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// What a child writes. Only the kernel's pipe holds what was not read yet; a child that writes more waits.
#[derive(Debug)]
pub struct ChildStdout {
    pipe: Receiver,
    traffic: Arc<Traffic>,
    over: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl ChildStdout {
    pub(super) fn new(pipe: Receiver, traffic: Arc<Traffic>) -> Self {
        let over = Box::pin(traffic.over.clone().cancelled_owned());
        Self { pipe, traffic, over }
    }
}

impl AsyncRead for ChildStdout {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = match Pin::new(&mut self.pipe).poll_read(cx, buffer) {
            Poll::Ready(read) => read,
            Poll::Pending => {
                ready!(self.over.as_mut().poll(cx));
                // Somebody may still hold the pipe, but nobody who belongs to the child: what is in it is all there is.
                left_in(&self.pipe, buffer.initialize_unfilled()).map(|read| buffer.advance(read))
            }
        };
        self.traffic.came(buffer.filled().len().saturating_sub(before));
        Poll::Ready(read)
    }
}

/// Reads what is in a pipe now, whether or not the runtime has heard of it; 0 when there is nothing.
pub(super) fn left_in(pipe: &Receiver, piece: &mut [u8]) -> io::Result<usize> {
    match rustix::io::read(pipe, piece) {
        Err(rustix::io::Errno::AGAIN) => Ok(0),
        read => Ok(read?),
    }
}
