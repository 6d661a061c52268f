//! Programs that build images, packages and documents.

use crate::check::Check;

/// Programs with the words by which they build.
const WORDS: &[(&str, &[&str])] = &[
    ("docker", &["build", "bake"]),
    ("podman", &["build"]),
    ("nerdctl", &["build"]),
    ("docker-compose", &["build"]),
    ("buildah", &["bud", "build"]),
    ("uv", &["build"]),
    ("poetry", &["build"]),
    ("pdm", &["build"]),
    ("hatch", &["build"]),
    ("flit", &["build"]),
    ("maturin", &["build", "develop"]),
    ("node-gyp", &["build", "rebuild"]),
    ("gem", &["build"]),
    ("nix", &["build"]),
    ("conan", &["build", "create"]),
    ("cross", &["build"]),
    ("tinygo", &["build"]),
    ("mkdocs", &["build"]),
    ("jekyll", &["build"]),
    ("vsce", &["package"]),
    ("helm", &["package"]),
    ("npm", &["pack"]),
    ("pnpm", &["pack"]),
    ("yarn", &["pack"]),
    ("bun", &["pack"]),
    ("rake", &["assets:precompile"]),
    ("rails", &["assets:precompile"]),
    ("packer", &["build"]),
    ("mdbook", &["build"]),
    ("eas", &["build"]),
    ("ko", &["build"]),
    ("goreleaser", &["build", "release"]),
    ("tauri", &["build"]),
    ("expo", &["export"]),
];

/// Programs that do nothing else.
const ALONE: &[&str] = &["nix-build", "sphinx-build", "pyinstaller", "electron-builder", "hugo"];

/// What a program that packs something up proves.
pub(crate) fn check(name: &str, args: &[&str]) -> Option<Check> {
    let operands: Vec<&str> = args.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let builds = |(program, words): &(&str, &[&str])| {
        *program == name && operands.iter().take(2).any(|operand| words.contains(operand))
    };
    if ALONE.contains(&name) || WORDS.iter().any(builds) {
        let stage = args.windows(2).filter(|pair| pair.first() == Some(&"--target")).filter_map(|pair| pair.get(1));
        let images = matches!(name, "docker" | "podman" | "nerdctl" | "docker-compose" | "buildah");
        let part = stage.filter(|_| images).map(|word| (*word).to_owned()).collect();
        return Some(Check::build().narrowed(part));
    }
    match (name, operands.as_slice()) {
        ("pip" | "pip3", ["install" | "wheel", rest @ ..]) if rest.iter().any(|word| is_here(word)) => {
            Some(Check::build())
        }
        ("uv", ["pip", "install", rest @ ..]) if rest.iter().any(|word| is_here(word)) => Some(Check::build()),
        _ => None,
    }
}

/// True for the project itself, with what else of it is wanted.
fn is_here(word: &str) -> bool {
    matches!(word.split('[').next(), Some("." | "./"))
}

/// True for a word by which `setup.py` builds.
pub(crate) fn is_step(word: &str) -> bool {
    matches!(word, "build" | "build_ext" | "bdist_wheel" | "develop" | "install")
}
