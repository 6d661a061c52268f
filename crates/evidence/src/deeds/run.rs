//! A command line that came to an end, and what its output says.

use crate::check::Check;
use crate::command;
use crate::filters;
use crate::line;
use crate::ran::Ran;
use crate::summary::{self, Summary};

/// A command line that came to an end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Run {
    pub(crate) line: String,
    /// The checks in it.
    pub(crate) checks: Vec<(Ran, Check)>,
    /// How it ended; none when it did not run.
    pub(crate) exit: Option<i32>,
    /// What its output says about tests, where the codes are known and where they are not.
    pub(crate) told: Summary,
    pub(crate) untold: Summary,
    pub(crate) built: bool,
    pub(crate) clean: bool,
    pub(crate) warns: bool,
    /// The numbers of warnings in it, and whether its summary says that nothing was found.
    pub(crate) warnings: Vec<u64>,
    pub(crate) spotless: bool,
    /// The numbers of files in it.
    pub(crate) counted_files: Vec<u64>,
    /// True when its output says that it did not build, and that a linter found something.
    pub(crate) unbuilt: bool,
    pub(crate) complains: bool,
    /// The linters that its output shows as commands.
    pub(crate) tools: Vec<String>,
    /// True when its output tells of tests that were there and did not run.
    pub(crate) leaves_out: bool,
    /// True when it wrote nothing out.
    pub(crate) silent: bool,
    /// True when nothing but its one check can have written anything.
    pub(crate) lone: bool,
    /// True when the codes of all of its commands are seen.
    pub(crate) plain: bool,
    /// True when it may have shown something beside what it wrote.
    pub(crate) acts: bool,
    /// The names of the tests that it lists as good, where it lists them all.
    pub(crate) passed: Vec<String>,
    /// The names of what failed, where all of them are known.
    pub(crate) failures: Option<Vec<String>>,
    /// What failed, each with its file, as far as that is known.
    pub(crate) failed_places: Vec<String>,
    /// The command lines that it shows as what its script runs.
    pub(crate) commands: Vec<String>,
    /// True when what was read of it is from a time when it was over.
    pub(crate) later: bool,
    /// Those of its commands that show files.
    pub(super) shown: Vec<Vec<String>>,
    /// The files that its output went to.
    pub(crate) files: Vec<String>,
    /// The code that its line wrote out for each check.
    pub(super) codes: Vec<Option<i32>>,
    /// True when what it wrote stands right behind it.
    pub(crate) wrote: bool,
    /// For each check, whether nothing behind it in its line changed code.
    pub(super) settled: Vec<bool>,
}

impl Run {
    /// What this output says, which is all that can be seen of it.
    pub(super) fn read(&mut self, output: &str) {
        let output = &summary::in_english(output);
        let mixed = self.checks.iter().any(|(_, check)| !check.tests);
        (self.told, self.untold) = summary::summaries(output, mixed);
        self.built = summary::built(output);
        self.clean = summary::clean(output);
        self.warns = summary::warns(output);
        self.warnings = summary::warnings(output);
        self.spotless = summary::nothing_found(output);
        self.counted_files = summary::counted_files(output);
        self.unbuilt = summary::fails_to_build(output);
        self.complains = summary::complains(output);
        self.tools = summary::shown_tools(output);
        self.leaves_out = summary::leaves_out(output);
        self.silent = output.trim().is_empty();
        self.failures = summary::failures(output);
        self.passed = summary::passed_names(output);
        self.failed_places = summary::failed_places(output);
        self.commands = summary::shown_commands(output);
        let code = |ran: &Ran| ran.echoed.as_ref().and_then(|text| summary::code_behind(output, text));
        self.codes = self.checks.iter().map(|(ran, _)| code(ran)).collect();
    }

    /// A script of a package that shows which linters it runs, one behind the other, has run these.
    pub(super) fn adds_shown(&mut self) {
        let [(ran, check)] = self.checks.as_slice() else { return };
        let of_package = matches!(check.program.as_str(), "npm" | "yarn" | "pnpm" | "bun");
        let open = check.part.is_empty() && !check.writes && ran.told && !ran.strange && !ran.behind;
        if !of_package || !open || self.exit != Some(0) {
            return;
        }
        let lines = self.commands.iter().filter(|line| !line.split(' ').next().is_some_and(|word| word.contains('@')));
        let shown = lines.flat_map(|line| line::commands(line)).filter(|own| own.told && !own.strange && !own.behind);
        let linters = shown.filter_map(|own| command::check(&own.words));
        let linters = linters.filter(|own| !own.lints.is_empty() && !own.tests && !own.build && !own.writes);
        let known = |own: &Check| own.lints.iter().all(|linter| check.lints.contains(linter));
        let linters = linters.filter(|own| own.part.is_empty() && !known(own));
        let (family, program, folder) = (check.family, &check.program, &check.folder);
        let placed = |own| Check { family, program: program.clone(), folder: folder.clone(), ..own };
        let more: Vec<(Ran, Check)> = linters.map(|own| (ran.clone(), placed(own))).collect();
        self.checks.extend(more);
    }

    /// True when what was read of it is its end: a code stands there, it was waited for, or its runner has one summary only.
    pub(super) fn is_over(&self) -> bool {
        let several = ["-r ", "recursive", "workspaces", "turbo", "lerna"].iter().any(|word| self.line.contains(word));
        let appended = self.line.contains("tee -a") || self.checks.iter().any(|(ran, _)| ran.appends);
        let over = |(ran, check): &(Ran, Check)| {
            ran.told || self.code(ran).is_some() || (check.family == "js" && !several) || check.family == "py"
        };
        !appended && self.checks.iter().all(over)
    }

    /// True when the output of the line is that of this check, whole enough to tell how it ended.
    pub(crate) fn shows(&self, ran: &Ran, check: &Check) -> bool {
        let shows = |words: &Vec<String>, file: &String| {
            words.contains(file) && filters::lets_failures_through(words, check.family)
        };
        let shown = |file: &String| file != "/dev/null" && self.shown.iter().any(|words| shows(words, file));
        self.later
            || (!ran.behind
                && !ran.strange
                && ran.away.as_ref().is_none_or(shown)
                && ran.through.iter().all(|filter| filters::lets_failures_through(filter, check.family)))
    }

    /// True when nothing that stands behind this check in its line changed code.
    pub(crate) fn settles(&self, ran: &Ran) -> bool {
        let at = self.checks.iter().position(|(other, _)| other == ran);
        at.and_then(|at| self.settled.get(at)).copied().unwrap_or_default()
    }

    /// The code that its line wrote out for this check.
    pub(crate) fn code(&self, ran: &Ran) -> Option<i32> {
        let at = self.checks.iter().position(|(other, _)| other == ran)?;
        self.codes.get(at).copied().flatten()
    }
}
