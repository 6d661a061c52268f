//! Why an answer of a provider could not be had, for programs to decide by.

use serde::{Deserialize, Serialize};

/// Classes of failures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The endpoint did not accept the key, or there is none.
    KeyRejected,
    /// The account has no money left.
    BalanceEmpty,
    /// The request is longer than the model's window.
    ContextTooLong,
    /// Nobody answers at the endpoint.
    Unreachable,
    /// The endpoint does not know the model.
    ModelUnknown,
    /// Too many requests, also after the retries.
    RateLimited,
    /// The endpoint failed, also after the retries. What an older log does not say counts as this.
    #[default]
    Server,
    /// The endpoint refused the request as malformed.
    BadRequest,
    /// What came back is not what the protocol says.
    BadResponse,
    /// The answer broke off in the middle, or nothing came for too long.
    StreamBroken,
}
