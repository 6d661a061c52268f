//! Files of a home that nobody else is to read, as data.

/// Below a home folder: settings that programs need, and that some people keep keys in. They are closed where one is in them.
#[rustfmt::skip]
pub(in crate::sandbox) const MIXED: &[&str] = &[
    ".gitconfig", ".config/git/config", ".cargo/config", ".cargo/config.toml", ".gradle/gradle.properties", ".condarc",
    "miniconda3/.condarc", "anaconda3/.condarc", "miniforge3/.condarc", "mambaforge/.condarc", ".config/pip/pip.conf",
    ".pip/pip.conf", ".bundle/config", ".nuget/NuGet/NuGet.Config", ".yarnrc", ".yarnrc.yml", ".bunfig.toml",
    ".config/uv/uv.toml", ".curlrc", ".wgetrc", ".hgrc", ".config/cargo/config.toml", ".config/NuGet/NuGet.Config",
    ".mambarc", ".config/conda/.condarc", ".config/conda/condarc", ".conda/.condarc", ".cabal/config",
    ".config/cabal/config", ".stack/config.yaml", ".config/go/env", ".config/composer/config.json", ".composer/config.json",
    ".config/bundle/config", ".config/gem/gemrc", ".gemrc", ".m2/toolchains.xml", ".config/hg/hgrc",
    ".config/jj/config.toml", ".jjconfig.toml", ".config/curlrc", ".config/wgetrc", ".config/aria2/aria2.conf",
    ".aria2/aria2.conf", ".config/youtube-dl/config", ".config/yt-dlp/config", ".config/httpie/config.json",
    ".httpie/config.json", ".Renviron", ".Rprofile", ".config/matplotlib/matplotlibrc",
    ".jupyter/jupyter_server_config.json", ".jupyter/jupyter_server_config.py", ".jupyter/jupyter_notebook_config.json",
    ".jupyter/jupyter_notebook_config.py", ".config/Code/User/settings.json", ".vscode-server/data/Machine/settings.json",
    ".config/zed/settings.json", ".config/nix/nix.conf", ".config/mise/config.toml", ".config/direnv/direnvrc",
    ".pam_environment", ".emacs.d/.authinfo", ".spacemacs", ".config/helix/config.toml", ".cursor/mcp.json",
    ".claude/settings.json", ".claude/settings.local.json", ".codex/config.toml", ".gemini/settings.json",
    ".qwen/settings.json", ".config/opencode/opencode.json",
];
