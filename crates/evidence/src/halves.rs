//! Words for the halves and parts that projects have.

/// Words for halves of a project: a check in the folder of one says nothing of the other.
pub(crate) const HALVES: [&str; 10] =
    ["backend", "frontend", "server", "client", "web", "api", "前端", "后端", "服务端", "客户端"];

/// Names of one thing in both languages.
pub(crate) fn others_of(name: &str) -> Vec<String> {
    let name = name.trim_matches(['`', '/', '.']).to_ascii_lowercase();
    let others: &[&str] = match name.as_str() {
        "后端" | "服务端" | "backend" => &["backend", "server", "api"],
        "前端" | "frontend" => &["frontend", "web", "client", "ui"],
        "客户端" => &["client", "app"],
        "后台" | "管理后台" => &["admin", "backoffice", "console"],
        "引导程序" | "引导" => &["boot", "loader"],
        "驱动" => &["driver"],
        "内核" => &["kernel", "core"],
        "核心" => &["core"],
        "移动" => &["mobile", "android", "ios"],
        "网关" => &["gateway", "proxy"],
        "官网" => &["site", "www", "website"],
        "小程序" | "小" => &["mini", "weapp"],
        "示例" => &["example", "demo", "sample"],
        "工具" => &["tool", "cli"],
        "接口" => &["api"],
        "文档" => &["doc"],
        _ => return if name.len() >= 3 { vec![name] } else { Vec::new() },
    };
    others.iter().map(|name| (*name).to_owned()).collect()
}
