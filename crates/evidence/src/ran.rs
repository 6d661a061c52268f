//! A command of a shell line, with what the line tells of its end.

/// A command of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ran {
    /// The program and its arguments, without redirections.
    pub(crate) words: Vec<String>,
    /// The files that its output goes to.
    pub(crate) into: Vec<String>,
    /// The file that all of its plain output goes to, so that nothing in the output of the line is its own.
    pub(crate) away: Option<String>,
    /// True when its plain output is written behind what stands in a file.
    pub(crate) appends: bool,
    /// The commands that its output goes through, each with its arguments.
    pub(crate) through: Vec<Vec<String>>,
    /// True when nobody waits for its end: it may still run when the line is over.
    pub(crate) behind: bool,
    /// The folder it ran in, where the line says so.
    pub(crate) folder: String,
    /// True when a line that ends with 0 says that this one did.
    pub(crate) told: bool,
    /// True when nothing stands behind it that may have failed in its place.
    pub(crate) last: bool,
    /// True when nobody can say from the line how often it ran, or what its words ran.
    pub(crate) strange: bool,
    /// What stands before its code in the output, where the line writes the code out.
    pub(crate) echoed: Option<String>,
}

impl Ran {
    /// Its output goes to this file; `plain` when it is the plain output, `behind` when it is written behind what is there.
    pub(crate) fn goes_into(&mut self, file: &str, plain: bool, behind: bool) {
        let is_stream = matches!(file, "1" | "2" | "/dev/stdout" | "/dev/stderr" | "/dev/tty");
        if plain && !is_stream {
            self.away = Some(file.to_owned());
            self.appends |= behind;
        }
        self.into.push(file.to_owned());
    }
}
