//! Commands as claims quote them: whether one that ran is the same program with the same step.

use crate::command;
use crate::options;

/// Programs that run the scripts of a package.
const MANAGERS: &[&str] = &["npm", "yarn", "pnpm", "bun"];

/// Programs whose first word says what they do.
const STEPPED: &[&str] = &[
    "cargo", "go", "dotnet", "swift", "mix", "zig", "flutter", "dart", "stack", "cabal", "sbt", "bazel", "deno",
    "composer", "rails", "npm", "yarn", "pnpm", "bun",
];

/// Programs each of whose words is something to be done.
const GOALS: &[&str] = &["make", "gmake", "just", "task", "ninja", "rake", "gradle", "mvn"];

/// Phases of Maven: each has those before it.
const PHASES: &[&str] = &["compile", "test-compile", "test", "package", "verify", "install", "deploy"];

/// Words of Gradle and Cargo that do what others do, too.
const WITHIN: &[(&str, &[&str])] = &[
    ("test", &["check", "build"]),
    ("check", &["build"]),
    ("assemble", &["build"]),
    ("classes", &["build", "assemble", "test"]),
];

/// A command as its program and the words that are no options.
struct Quoted {
    program: String,
    steps: Vec<String>,
}

impl Quoted {
    fn of(words: &[String]) -> Option<Self> {
        let words = command::plain(words)?;
        let (program, rest) = words.split_first()?;
        let name = program.rsplit('/').next().unwrap_or(program);
        let program = match name {
            "gradlew" => "gradle",
            "mvnw" => "mvn",
            "py.test" => "pytest",
            "python3" => "python",
            name => name,
        };
        let operand = |word: &&String| !word.starts_with(['-', '+']);
        let mut steps: Vec<String> = rest.iter().filter(operand).map(|word| word.to_ascii_lowercase()).collect();
        if MANAGERS.contains(&program) {
            steps.retain(|word| word != "run" && word != "run-script");
        }
        for step in &mut steps {
            let long = match (program, step.as_str()) {
                ("cargo" | "npm", "t") => "test",
                ("cargo", "b") => "build",
                ("cargo", "c") => "check",
                _ => continue,
            };
            long.clone_into(step);
        }
        Some(Self { program: program.to_owned(), steps })
    }

    /// True when this one is what another was told to do, at least.
    fn does(&self, step: &str) -> bool {
        let phase = |step: &str| PHASES.iter().position(|phase| *phase == step);
        let further = || {
            let wanted = phase(step);
            wanted.is_some() && self.steps.iter().any(|own| phase(own) >= wanted)
        };
        let holds = || {
            let others = WITHIN.iter().find(|(name, _)| *name == step).map_or(&[] as &[&str], |(_, others)| others);
            self.steps.iter().any(|own| others.contains(&own.as_str()))
        };
        self.steps.iter().any(|own| own == step)
            || (self.program == "mvn" && further())
            || (self.program == "gradle" && holds())
    }
}

/// True when all goals of a quoted command are among those of the one that ran, whose options are its own, too.
pub(crate) fn is_among(quoted: &[String], ran: &[String]) -> bool {
    let options = |words: &[String]| -> Vec<String> {
        words.iter().filter(|word| options::is_option(word) || word.contains('=')).cloned().collect()
    };
    let narrower = options(ran).iter().any(|option| !options(quoted).contains(option));
    let (Some(quoted), Some(ran)) = (Quoted::of(quoted), Quoted::of(ran)) else { return false };
    let goals = GOALS.contains(&quoted.program.as_str()) && quoted.program == ran.program && !narrower;
    goals && !quoted.steps.is_empty() && quoted.steps.iter().all(|step| ran.steps.contains(step))
}

/// True when the command that ran is the quoted one, as far as its program and its step go.
pub(crate) fn is_step(quoted: &[String], ran: &[String]) -> bool {
    let (Some(quoted), Some(ran)) = (Quoted::of(quoted), Quoted::of(ran)) else { return true };
    let managers = |one: &Quoted| MANAGERS.contains(&one.program.as_str());
    if quoted.program != ran.program && !(managers(&quoted) && managers(&ran)) {
        let own = matches!(quoted.program.as_str(), "gradle" | "mvn" | "unittest" | "jest" | "vitest" | "mocha");
        return !own || managers(&ran);
    }
    if GOALS.contains(&quoted.program.as_str()) {
        return quoted.steps.iter().filter(|step| *step != "clean").all(|step| ran.does(step));
    }
    !STEPPED.contains(&quoted.program.as_str()) || quoted.steps.first().is_none_or(|step| ran.does(step))
}
