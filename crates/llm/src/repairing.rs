//! What is asked of the repair of answers.

/// What is to be repaired beyond what always is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repairing {
    /// Edit blocks in the text become calls of the edit tools.
    pub blocks: bool,
    /// Deep schemas are sent flat; decided by wire and model when none.
    pub flatten: Option<bool>,
    /// Tools, calls and results are put into words, for endpoints that know no tool calls.
    pub textual: bool,
    /// The endpoint is held to the form of calls in words, as its profile says that it can be. On the chat wire only.
    pub grammar: bool,
    /// The model begins with a line that says whom its words are for.
    pub addressed: bool,
    /// Calls come by the protocol alone: what looks like one in the text is text.
    pub native_only: bool,
}

impl Repairing {
    /// Whether this model is sent flat schemas. The large hosted families read deep ones; many others lose arguments.
    pub(crate) fn flattens(self, wire: reasonix_catalogue::Wire, model: &str) -> bool {
        let model = model.to_ascii_lowercase();
        let name = model.rsplit('/').next().unwrap_or_default();
        let deep = ["gpt-", "o1", "o3", "o4", "claude", "gemini", "codex"].iter().any(|front| name.starts_with(front));
        let oss = name.starts_with("gpt-oss");
        self.flatten.unwrap_or(wire == reasonix_catalogue::Wire::Chat && (!deep || oss))
    }
}
