//! Who decides about the machine's own ports: a command in a box has a loopback of its own, and may reach a server that
//! listens on the machine's only where somebody admits it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

/// Decides about ports of the machine's loopback that commands in a box want to reach.
pub trait Ports: fmt::Debug + Send + Sync {
    /// Decides about one on which something of the machine listens, and nothing in the box; may ask a person and wait for
    /// the answer. A yes holds until the command has ended.
    fn admit(&self, port: u16) -> Pin<Box<dyn Future<Output = bool> + Send + '_>>;
}
