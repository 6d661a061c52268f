//! Programs that a claim names: that one of them passes is proved by no other.

use crate::check::Check;
use crate::grammar;
use crate::pattern::patterns;
use crate::said::Said;
use reasonix_proto::ClaimKind;

const JS: &[&str] = &["npm", "yarn", "pnpm", "bun", "deno", "node", "turbo", "nx"];
const PYTHON: &[&str] = &["pytest", "py.test", "unittest", "tox", "nox", "python", "python3", "nose2"];
const JVM: &[&str] = &["mvn", "mvnw", "gradle", "gradlew", "sbt", "bazel"];

/// Runners and languages, each with the programs that run them.
const RUNNERS: &[(&str, &[&str])] = &[
    ("pytest", PYTHON),
    ("unittest", PYTHON),
    ("python", PYTHON),
    ("jest", &["jest"]),
    ("vitest", &["vitest"]),
    ("mocha", &["mocha"]),
    ("cargo test", &["cargo"]),
    ("nextest", &["cargo"]),
    ("rust", &["cargo"]),
    ("go test", &["go"]),
    ("golang", &["go"]),
    ("rspec", &["rspec"]),
    ("ruby", &["rspec", "minitest", "rails", "ruby"]),
    ("phpunit", &["phpunit", "pest", "php", "composer"]),
    ("php", &["phpunit", "pest", "php", "composer"]),
    ("ctest", &["ctest", "cmake"]),
    ("junit", JVM),
    ("java", JVM),
    ("kotlin", JVM),
    ("exunit", &["mix"]),
    ("elixir", &["mix"]),
    ("nunit", &["dotnet"]),
    ("xunit", &["dotnet"]),
    ("dotnet", &["dotnet"]),
    ("tox", &["tox"]),
    ("nox", &["nox"]),
    ("playwright", &["playwright"]),
    ("cypress", &["cypress"]),
    ("javascript", &["jest", "vitest", "mocha", "ava"]),
    ("typescript", &["jest", "vitest", "mocha", "ava"]),
    ("swift", &["swift", "xcodebuild"]),
];

/// Those that any script of a package may run.
const SCRIPTED: &[&str] = &["jest", "vitest", "mocha", "javascript", "typescript", "playwright", "cypress"];

/// Programs that run what a file of the project says.
const GENERIC: &[&str] = &["make", "gmake", "just", "task", "rake", "ninja", "bash", "sh", "zsh", "docker"];

patterns! {
    RUNNER = r"\b(pytest|unittest|jest|vitest|mocha|cargo test|nextest|go test|rspec|phpunit|ctest|junit|exunit|nunit|xunit|tox|nox|playwright|cypress)\b|\b(python|rust|golang|ruby|php|java|kotlin|elixir|dotnet|javascript|typescript|swift)`?(?: unit| integration)?(?: side)? tests?\b|(python|rust|golang|ruby|php|java|kotlin|elixir|dotnet|javascript|typescript|swift) ?(?:端|侧|部分)?的?(?:单元|集成)?测试";
    BROWSER = r"\b(?:e2e|end[- ]to[- ]end|browser|playwright|cypress)\b|端到端";
    RELEASE = r"\brelease[- ](?:build|binary|mode|profile|configuration)|\bin release\b|release ?(?:版|模式)?(?:的)?(?:构建|编译|打包)|发布版";
    SYSTEM = r"\b(?:on|for|under) (?:(?:the )?[\w.]+(?:, and |, | and | or | & ))*(windows|macos|ios|android|arm64|aarch64|freebsd)\b|\b(windows|macos|ios|android|arm64|aarch64|freebsd) ?(?:上|下|平台|版|系统|端)";
    VERSION = r"\b(?:on|under|with|using) (?:python|node(?:\.js)?|java|jdk|go|ruby|php|rust|\.net) ?v?(\d+(?:\.\d+)*)\b|(?:python|node|java|jdk|go|ruby|php|rust) ?v?(\d+(?:\.\d+)*) ?(?:上|下|环境)";
    SEVERAL = r"\b(?:too|as well|also|both|even)\b|也|均|都";
    DOCS = r"\b(?:docs?|documentation|manual|handbook) (?:site |now |still |also )*(?:builds?|compiles?|(?:is|are|was|were) built)\b|\bbuilds? of the (?:docs|documentation)\b|文档(?:站点?|网站)?(?:也|都|已|已经|能|可以|正常|成功|的)*(?:构建|编译)";
    IMAGE = r"\b(?:docker|container|oci) images?\b|\bdockerfile\b|镜像";
    BUNDLE = format!(r"\.{}\b|", grammar::PACKED) + r"\b(?:production|prod)[- ]build|\bbundl\w*|\b(?:docker|container) image|\bpackag(?:e|es|ing)\b|生产(?:环境)?(?:的)?(?:构建|打包)|打包|镜像|生产包|安装包|固件|产物|制品|二进制|可执行文件|\b(?:wheel|sdist|jar|war|tarball|binary|binaries|apk|ipa|installer|executable|artifacts?|firmware|site|chart)\b";
}

/// True when this check runs what the claim names.
pub(crate) fn runs(check: &Check, words: &[String], said: &Said) -> bool {
    match said.kind {
        ClaimKind::Tests => tests(check, said) && by_means(words, said),
        ClaimKind::Build => {
            builds(check, words, said)
                && for_system(words, said)
                && of_image(check, said)
                && of_docs(check, words, said)
        }
        _ => true,
    }
}

fn tests(check: &Check, said: &Said) -> bool {
    let script = !check.unknown && (check.program.ends_with(".sh") || GENERIC.contains(&check.program.as_str()));
    let of_browser = || {
        matches!(check.program.as_str(), "playwright" | "cypress")
            || ["e2e", "playwright", "cypress", "browser"]
                .iter()
                .any(|name| check.part.iter().any(|part| part.contains(name)))
            || (check.family != "js" && check.part.is_empty() && !check.unknown)
    };
    if BROWSER.fits(&said.words) && !script && !of_browser() {
        return false;
    }
    let named = RUNNER.all(&said.words);
    let is = |name: &str| {
        let programs = RUNNERS.iter().find(|(runner, _)| *runner == name).map_or(&[] as &[&str], |(_, all)| all);
        programs.contains(&check.program.as_str()) || (SCRIPTED.contains(&name) && JS.contains(&check.program.as_str()))
    };
    script || named.is_empty() || named.iter().any(|(_, name)| is(name))
}

/// Means of running tests that are words of the command, each as prose calls it.
const MEANS: [(&str, &str); 8] = [
    ("-race", "-race"),
    ("竞态检查", "-race"),
    ("miri", "miri"),
    ("race detector", "-race"),
    ("竞态检测", "-race"),
    ("valgrind", "valgrind"),
    ("sanitizer", "sanitize"),
    ("release mode", "release"),
];

/// True when the means that a claim names were there.
fn by_means(words: &[String], said: &Said) -> bool {
    let named = MEANS.iter().filter(|(name, _)| said.words.contains(name));
    named.into_iter().all(|(_, means)| words.iter().any(|word| word.contains(means))) && of_version(words, said)
}

/// True when the version of a language that a claim names is the one that ran: where the claim says that it is one of several,
/// or the command names another, it has to stand in the command.
fn of_version(words: &[String], said: &Said) -> bool {
    const NAMES: [&str; 6] = ["python", "node", "ruby", "php", "java", "go"];
    let versioned = |word: &String| {
        let name = word.rsplit('/').next().unwrap_or(word);
        let of = |rest: &str| rest.contains('.') && rest.starts_with(|c: char| c.is_ascii_digit());
        NAMES.iter().any(|program| name.strip_prefix(program).is_some_and(of))
    };
    let doubtful = SEVERAL.fits(&said.words) || words.iter().any(versioned);
    let is_there = |version: &str| {
        let short = version.replace('.', "");
        words.iter().any(|word| word.contains(version) || word.contains(&short))
    };
    !doubtful || VERSION.all(&said.words).into_iter().all(|(_, version)| is_there(version))
}

/// Systems that a build is said to be for, each with words of commands that build for it.
const SYSTEMS: [(&str, &[&str]); 7] = [
    ("windows", &["windows", "mingw", "msvc", "win32", "win64"]),
    ("macos", &["darwin", "macos", "apple", "xcodebuild"]),
    ("ios", &["ios", "xcodebuild"]),
    ("android", &["android", "apk", "gradle", "gradlew"]),
    ("arm64", &["arm64", "aarch64"]),
    ("aarch64", &["arm64", "aarch64"]),
    ("freebsd", &["freebsd"]),
];

/// True when the systems that a claim names are those that this command builds for.
fn for_system(words: &[String], said: &Said) -> bool {
    let built = |needles: &[&str]| {
        words.iter().any(|word| needles.iter().any(|needle| word.to_ascii_lowercase().contains(needle)))
    };
    let named: Vec<&str> = SYSTEM.all(&said.words).into_iter().map(|(_, name)| name).collect();
    SYSTEMS.iter().filter(|(name, _)| named.contains(name)).all(|(_, needles)| built(needles))
}

/// True when an image that a claim names is what this program may build.
fn of_image(check: &Check, said: &Said) -> bool {
    const IMAGES: &[&str] =
        &["docker", "podman", "nerdctl", "docker-compose", "buildah", "bazel", "nix", "gradle", "mvn"];
    let script = check.program.ends_with(".sh") || GENERIC.contains(&check.program.as_str());
    let scripted = JS.contains(&check.program.as_str());
    !IMAGE.fits(&said.words) || script || scripted || IMAGES.contains(&check.program.as_str())
}

/// True when the documents that a claim says are built are what this command may build: it is a program for that, or told of
/// them, or a script.
fn of_docs(check: &Check, words: &[String], said: &Said) -> bool {
    const OF_DOCS: &[&str] = &["doc", "sphinx", "book", "hugo", "jekyll", "html", "site", "zola", "antora", "quarto"];
    let folder = check.folder.to_ascii_lowercase();
    let told = |text: &str| OF_DOCS.iter().any(|name| text.to_ascii_lowercase().contains(name));
    let script = check.program.ends_with(".sh") || JS.contains(&check.program.as_str());
    !DOCS.fits(&said.words) || script || told(&folder) || words.iter().any(|word| told(word))
}

/// A build for a release is one with that option, and a check of types makes nothing that could be shipped.
fn builds(check: &Check, words: &[String], said: &Said) -> bool {
    let release = |word: &String| {
        matches!(
            word.as_str(),
            "--release" | "-r" | "Release" | "release" | "--profile=release" | "-Doptimize=ReleaseFast"
        ) || word.ends_with("Release")
    };
    let debug = words.iter().any(|word| word.to_ascii_lowercase().contains("debug"));
    let plain = debug || check.family == "cargo" || matches!(check.program.as_str(), "dotnet" | "swift" | "zig");
    let optimised = !plain || words.iter().any(release);
    let checks_only = !check.lints.is_empty() || check.tests && check.family == "cargo";
    (!RELEASE.fits(&said.words) || (optimised && check.lints.is_empty())) && (!BUNDLE.fits(&said.words) || !checks_only)
}
