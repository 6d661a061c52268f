//! One HTTP client factory. Everything that leaves the machine goes through a client made here: to the address it
//! was made for, through the proxy the user configured, and nowhere else.

mod client;
mod dns;
pub mod egress;
mod error;
mod proxy;
mod tls;

pub use client::{NetOptions, client};
pub use error::NetError;
pub use proxy::{check_proxy, proxy_for};
pub use reqwest::Client;
