//! Words for the halves that projects have.

/// Words for halves of a project: a check in the folder of one says nothing of the other.
pub(crate) const HALVES: [&str; 10] =
    ["backend", "frontend", "server", "client", "web", "api", "前端", "后端", "服务端", "客户端"];
