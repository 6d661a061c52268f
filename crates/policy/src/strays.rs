//! Words by which a command leaves what a prefix names: options that write a file, load code, run a program or lead to
//! other code than that of this folder. A rule covers them only where it names them.

use crate::effects::{Simple, Word, is_flag};
use crate::known::{by_module, keeps_words};

/// How a program reads its options with one dash.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dash {
    /// Letters, several in one word.
    Letters,
    /// Whole words, one or two dashes alike.
    Words,
    /// A name with its value behind it.
    Attached,
}

use Dash::{Attached, Letters, Words};

/// Options that write a file, or lead a program to other code than that of this folder.
#[rustfmt::skip]
const STRAYS: &[(&[&str], Dash, &[&str])] = &[
    (&["ant"], Words, &["-f", "-buildfile", "-file", "-lib", "-propertyfile", "-listener", "-logger", "-inputhandler", "-main", "-l", "-logfile", "-s", "-find"]),
    (&["ansible-playbook", "ansible"], Letters, &["-i", "--inventory", "-M", "--module-path", "-a", "-e", "--extra-vars", "--vault-password-file", "--ssh-common-args", "--ssh-extra-args", "--private-key"]),
    (&["bat", "batcat", "delta"], Letters, &["--config-dir", "--config-file"]),
    (&["bazel", "bazelisk"], Letters, &["--run_under", "--bazelrc", "--output_base", "--override_repository", "--define", "--action_env", "--workspace_status_command", "--host_jvm_args", "--spawn_strategy", "--test_env", "--remote_executor", "--credential_helper", "--shell_executable", "--strategy", "--genrule_strategy", "--extra_toolchains", "--crosstool_top", "--server_javabase", "--host_javabase", "--java_runtime_version", "--tool_java_runtime_version", "--python_path", "--python_top", "--override_module", "--registry", "--repo_env", "--host_action_env", "--aspects", "--coverage_output_generator", "--coverage_support", "--sandbox_writable_path", "--sandbox_add_mount_pair", "--package_path", "--script_path", "--symlink_prefix", "--remote_cache", "--bes_backend", "--build_event_binary_file", "--build_event_json_file", "--build_event_text_file", "--execution_log_binary_file", "--execution_log_json_file", "--profile", "--repository_cache", "--disk_cache", "--install_base", "--output_user_root"]),
    (&["buf", "protoc"], Letters, &["--plugin", "-o", "--descriptor_set_out", "--dependency_out", "--path-override"]),
    (&["bun"], Letters, &["--preload", "--cwd", "--inspect-brk", "--env-file", "--outfile", "--outdir", "--tsconfig-override", "--bunfile"]),
    (&["bundle"], Letters, &["--gemfile", "--path", "--binstubs"]),
    (&["cargo"], Letters, &["--manifest-path", "--target-dir", "--out-dir", "--artifact-dir", "--lockfile-path", "-C", "--path", "--git", "--registry", "--index", "--root", "--logfile"]),
    (&["clang-tidy", "clang-format", "clang-check", "clang-query"], Words, &["-extra-arg", "-extra-arg-before", "-fplugin", "-fpass-plugin", "-Xclang", "-ivfsoverlay", "-resource-dir", "-fuse-ld", "-wrapper", "-config", "-load", "-config-file", "-export-fixes", "-fix", "-fix-errors", "-vfsoverlay", "-i", "-style"]),
    (&["cmake"], Attached, &["-C", "--graphviz", "--install-prefix", "--toolchain", "--trace-redirect", "--debugger-pipe"]),
    (&["ctest"], Letters, &["-S", "-SP", "--script", "-D", "-O", "--output-log", "--output-junit", "--build-and-test", "--launch-args"]),
    (&["composer"], Letters, &["-d", "--working-dir"]),
    (&["convert", "magick", "identify", "mogrify", "montage", "compare", "composite", "conjure", "gm"], Words, &["-process", "-script", "-write", "-format-file"]),
    (&["cppcheck"], Letters, &["--addon", "--addon-python", "--clang", "--rule-file", "--library", "--project", "--output-file", "--cppcheck-build-dir", "--plist-output", "--checkers-report", "--file-list", "--dump", "--includes-file", "--config-excludes-file", "--suppressions-list"]),
    (&["cpio"], Letters, &["-O", "-F", "-D", "--file", "--directory"]),
    (&["ctags", "etags"], Letters, &["-o", "-f", "--options", "--options-maybe", "--optlib-dir", "-L"]),
    (&["curl"], Letters, &["-o", "-O", "-D", "-c", "-T", "-J", "--output", "--output-dir", "--remote-name", "--remote-name-all", "--dump-header", "--cookie-jar", "--upload-file", "--trace", "--trace-ascii", "--stderr", "--libcurl", "--hsts", "--alt-svc", "--etag-save", "--unix-socket", "--engine"]),
    (&["dart", "flutter"], Letters, &["-D", "--define", "--packages", "-o", "--output", "-C", "--directory", "--enable-vm-service"]),
    (&["date"], Letters, &["-s", "--set"]),
    (&["deno"], Letters, &["-c", "--import-map", "-A", "--allow-all", "--allow-run", "--allow-ffi", "--allow-write", "--allow-net", "--allow-env", "--allow-sys", "--reload", "--lock", "--env-file", "--preload", "-r", "--cert", "--junit-path", "--coverage", "--v8-flags"]),
    (&["dmesg"], Letters, &["-c", "-C", "-D", "-E", "-n", "--clear", "--read-clear"]),
    (&["docker build", "docker buildx", "podman build"], Letters, &["-f"]),
    (&["docker build", "docker compose", "docker-compose", "docker buildx", "podman build", "podman compose"], Letters, &["--file", "--project-directory", "--env-file", "--build-context", "-o", "--output", "--secret", "--ssh", "--iidfile", "--metadata-file", "--allow", "--add-host"]),
    (&["docker", "podman", "docker-compose"], Letters, &["-H", "--host", "--context", "--mount", "--volume", "--privileged", "--device", "--cap-add", "--security-opt", "--pid", "--userns", "--entrypoint", "--tlscacert"]),
    (&["dot", "neato"], Letters, &["-o", "-O", "-c", "-l"]),
    (&["dotnet"], Letters, &["--output", "-o", "--project", "--logger", "-l", "--settings", "-s", "--test-adapter-path", "--results-directory", "-r", "--source", "--artifacts-path", "--additionalprobingpath", "--roll-forward", "--diag", "-d", "--property", "-p"]),
    (&["eslint", "stylelint", "jshint", "tslint", "htmlhint", "xo", "standard", "oxlint", "biome"], Letters, &["--fix", "-o", "--output-file", "--rulesdir", "--resolve-plugins-relative-to", "-c", "--parser", "-f", "--format", "--formatter", "--custom-formatter", "--custom-syntax", "--write", "--apply", "--apply-unsafe", "--cache-location", "--cache-file", "--rules", "--config-basedir", "--ignore-path"]),
    (&["find"], Words, &["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from"]),
    (&["flake8", "mypy", "tox", "nox", "coverage", "pre-commit", "pylint", "pyright", "bandit", "pydocstyle", "vulture", "interrogate", "radon"], Letters, &["--python-executable", "-c", "-f", "--noxfile", "--rcfile", "--append-config", "--custom-typeshed-dir", "--shadow-file", "--output-file", "--tee", "--cache-dir", "--html-report", "--xml-report", "--junit-xml", "--txt-report", "--any-exprs-report", "--cobertura-xml-report", "--install-types", "--workdir", "-x", "-o", "--project", "--pythonpath", "--venvpath", "--pythonplatform", "--typeshedpath", "--data-file", "--concurrency", "--source", "--ini", "--override", "--root", "--discover", "--installpkg", "--force-dep", "--default-venv-backend", "--force-venv-backend", "--plugins-dir", "--init-hook"]),
    (&["gcc", "g++", "cc", "c++", "clang", "clang++", "gfortran", "tcc", "icx", "emcc", "em++", "zig cc", "zig c++", "nvcc", "mpicc"], Attached, &["-o", "-MF", "-dumpdir", "-Wl,", "-Wp,", "-Wa,", "-Xlinker", "-Xpreprocessor", "-Xassembler", "-Xclang", "-fplugin", "-fpass-plugin", "-fuse-ld", "-ld-path", "--ld-path", "-save-temps", "-aux-info", "-fdump", "-specs", "--specs", "-wrapper", "-B", "-imultilib", "-ccc-", "-mlinker", "-gdwarf-file", "--sysroot", "-isysroot", "-Xcompiler", "-ccbin", "--compiler-bindir", "-fcrash-diagnostics-dir", "-serialize-diagnostics"]),
    (&["gh"], Letters, &["--hostname", "--template", "-O", "--output", "--dir", "-D"]),
    (&["ghc"], Attached, &["-pgm", "-F", "-opt", "-o", "-odir", "-hidir", "-outputdir", "-package-db", "-fplugin", "-plugin-package", "-e", "-B", "-ghci-script", "-dynload"]),
    (&["git"], Letters, &["--output", "--output-directory", "--git-dir", "--work-tree", "--exec-path", "--separate-git-dir", "--reference", "--upload-pack", "--receive-pack", "--gpg-program", "--edit", "--unsafe-paths", "--repo", "--template"]),
    (&["go"], Words, &["-C", "-o", "-modfile", "-pkgdir", "-coverprofile", "-cpuprofile", "-memprofile", "-trace", "-outputdir", "-mutexprofile", "-blockprofile", "-ldflags", "-gcflags", "-asmflags", "-gccgoflags", "-compiler", "-toolexec", "-exec", "-vettool", "-overlay", "-pgo", "-w", "-test.coverprofile", "-test.cpuprofile", "-test.memprofile", "-test.trace", "-test.outputdir", "-fuzzcachedir", "-test.gocoverdir", "-modcacherw"]),
    (&["golangci-lint"], Letters, &["-c", "--fix", "--out-format", "--cpu-profile-path", "--mem-profile-path", "--trace-path", "--output.json.path", "--path-prefix"]),
    (&["gpg", "gpg2"], Letters, &["-o", "--output", "--exec-path", "--photo-viewer", "--pinentry-mode", "--homedir", "--options", "--agent-program", "--dirmngr-program", "--keyserver"]),
    (&["gradle", "gradlew"], Attached, &["-b", "-c", "-I", "--build-file", "--project-dir", "--settings-file", "--include-build", "--init-script", "-Dorg.gradle", "-Djava", "-g", "--gradle-user-home", "--project-cache-dir", "-D", "-Porg.gradle", "--write-", "--profile", "--scan"]),
    (&["gzip", "bzip2", "xz", "zstd"], Letters, &["-o", "--rm", "--output-dir-flat", "--output-dir-mirror", "--filelist", "-f", "--force", "--files"]),
    (&["helm"], Letters, &["--post-renderer", "--post-renderer-args", "--output-dir", "--kubeconfig", "--kube-context", "--registry-config", "--repository-config", "-d", "--destination"]),
    (&["http", "https", "xh"], Letters, &["-o", "--output", "-d", "--download", "--session", "--cert", "--print-to"]),
    (&["java", "javaw"], Attached, &["-javaagent", "-agentlib", "-agentpath", "-cp", "-classpath", "--class-path", "--module-path", "-p", "--upgrade-module-path", "--patch-module", "-Xbootclasspath", "-XX:On", "-XX:Flags", "-XX:VMOptionsFile", "-XX:HeapDumpPath", "-XX:ErrorFile", "-XX:LogFile", "-Xlog", "-Xloggc", "-Djava", "-Djdk", "-Dsun", "-D"]),
    (&["javac", "javadoc", "kotlinc", "scalac", "groovyc", "ecj", "jar", "jlink", "jdeps", "jpackage"], Attached, &["-processor", "--processor", "-J", "-d", "-s", "-h", "-cp", "-classpath", "--class-path", "-Xplugin", "--module-path", "-p", "-doclet", "-docletpath", "-taglet", "-P", "-Xcompiler-plugin", "-toolcp", "-C", "--file", "--dest", "--output"]),
    (&["jest"], Words, JEST),
    (&["jest", "vitest", "mocha", "playwright", "webpack", "rollup", "vite", "ava", "cypress", "karma", "tsup", "esbuild", "jasmine", "nyc", "c8", "parcel", "rspack", "swc", "babel", "tap", "wdio", "nightwatch", "testcafe", "storybook", "next", "nuxt", "astro", "ng", "nx", "turbo", "lerna", "gulp", "grunt", "typedoc", "rome"], Words, SCRIPTS),
    (&["journalctl"], Letters, &["--vacuum-size", "--vacuum-time", "--vacuum-files", "--rotate", "--flush", "--sync", "--cursor-file", "-D", "--directory", "--file", "--root", "--image"]),
    (&["jq", "gojq", "jaq"], Letters, &["-f", "--from-file", "-L", "--library-path", "--rawfile", "--slurpfile"]),
    (&["just"], Letters, &["-f", "--justfile", "-d", "--working-directory", "-e", "--set", "--dotenv-path", "--dotenv-filename", "--tempdir", "--chooser", "--choose"]),
    (&["k6", "locust", "artillery"], Letters, &["-o", "--out", "-f", "--output"]),
    (&["kubectl", "oc"], Letters, &["--kubeconfig", "--context", "--server", "-s", "--token", "--as", "--cluster", "--cache-dir", "--profile-output"]),
    (&["latexmk", "pdflatex", "xelatex", "lualatex", "tex", "latex"], Words, &["-shell-escape", "-enable-write18", "-e", "-r", "-pdflatex", "-latex", "-output-directory", "-outdir", "-auxdir", "-jobname", "-fmt", "-usepretex", "-latexoption", "-xelatex", "-lualatex"]),
    (&["ld", "gold", "lld", "mold", "ld.lld"], Attached, &["-o", "-plugin", "--plugin", "-Map", "--dependency-file", "-run", "--run", "-L", "-T", "--dynamic-linker", "-rpath", "--reproduce", "--load"]),
    (&["less", "more", "most"], Letters, &["-o", "-O", "--log-file", "--LOG-FILE"]),
    (&["lua", "luajit"], Letters, &["-l", "-i"]),
    (&["make", "gmake", "ninja", "scons", "meson"], Letters, &["-f", "-C", "-I", "-o", "-W", "--file", "--makefile", "--directory", "--include-dir", "--site-dir", "--sconstruct", "--cross-file", "--native-file", "--wrap", "--gdb-path", "--logbase"]),
    (&["mix", "rebar3", "lein", "sbt", "boot"], Letters, &["-r", "-pr", "-pa", "-pz", "--erl", "-e", "--sname", "--cookie", "-S", "--app", "--umbrella-only"]),
    (&["mvn", "mvnw"], Attached, &["-f", "--file", "-s", "-gs", "--settings", "--global-settings", "-l", "--log-file", "-t", "-gt", "--toolchains", "--global-toolchains", "-D", "--builder", "-b", "--install-toolchains"]),
    (&["nmap"], Words, &["-oN", "-oX", "-oG", "-oA", "-oS", "-script", "-datadir", "-servicedb", "-script-args", "-append-output", "-resume", "-stylesheet", "-iL"]),
    (&["node", "nodejs", "tsx", "ts-node"], Words, &["--test-reporter", "--test-reporter-destination", "--test-global-setup", "--experimental-config-file", "--openssl-config", "--cpu-prof-dir", "--heap-prof-dir", "--diagnostic-dir", "--report-directory", "--redirect-warnings", "--trace-event-file-pattern", "--snapshot-blob", "--build-snapshot", "--inspect", "--inspect-brk", "--icu-data-dir", "--env-file-if-exists", "--conditions", "-C", "--disable-warning", "--allow-child-process", "--project", "-P", "--compiler", "--cwd", "--tsconfig", "--watch-path"]),
    (&["npm", "pnpm", "yarn", "bun"], Letters, &["--prefix", "-C", "--dir", "--cwd", "--cache", "--modules-dir", "--store-dir", "--registry", "-g", "--global", "--location", "--pnpmfile", "--global-dir", "--virtual-store-dir", "--cafile", "--https-proxy", "--proxy", "--use-yarnrc", "--modules-folder", "--lockfile-dir"]),
    (&["openssl"], Words, &["-out", "-writerand", "-keyout", "-engine", "-provider", "-provider-path", "-passout", "-CAserial", "-signer", "-outform-file"]),
    (&["pandoc"], Letters, &["-o", "--output", "-F", "--filter", "-L", "--lua-filter", "--pdf-engine", "-d", "--defaults", "--extract-media", "-t", "--to", "-w", "--write", "-f", "--from", "-r", "--read", "--data-dir", "--template", "-H", "-C", "--citeproc", "--log", "--pdf-engine-opt"]),
    (&["perf", "strace", "ltrace", "time"], Letters, &["-o", "--output"]),
    (&["php", "phpunit", "pest", "phpstan", "psalm", "php-cs-fixer", "phpcs", "phpcbf", "rector"], Letters, &["--bootstrap", "-c", "--configuration", "--prepend", "--include-path", "--autoload-file", "-a", "--standard", "--report-file", "--printer", "--extensions", "-d", "--log-junit", "--coverage-html", "--coverage-clover", "--coverage-php", "--cache-directory", "--cache-file", "--basepath", "--root"]),
    (&["pip", "pip3"], Letters, &["--target", "-t", "--prefix", "--root", "--src", "--log", "--cache-dir", "--python", "--report", "-i", "--index-url", "--extra-index-url", "-f", "--find-links", "-r", "--requirement", "-c", "--constraint", "--trusted-host", "--cert", "--proxy", "-e", "--editable", "--config-settings", "--global-option", "--build-option"]),
    (&["poetry", "uv", "pdm", "hatch", "pipenv"], Letters, &["-C", "--directory", "--project", "-P", "--config-file", "--index", "--index-url", "--default-index", "--extra-index-url", "--python", "--with-editable", "--with-requirements", "--env-file", "--cache-dir", "--target", "--prefix", "-o", "--output-file"]),
    (&["uv", "uvx"], Letters, &["--with", "--from", "--overrides", "--find-links"]),
    (&["prettier", "dprint"], Letters, &["--write", "-w", "--plugin-search-dir", "--cache-location", "--ignore-path"]),
    (&["pytest", "py.test", "unittest", "nose2", "green"], Letters, &["-c", "-p", "--rootdir", "--confcutdir", "--basetemp", "--junitxml", "--junit-xml", "--log-file", "--debug", "--import-mode", "-o", "--override-ini", "--tx", "--px", "--rsyncdir", "--pdbcls", "--pdb", "--html", "--json-report-file", "--cov-config", "--cov-report", "--ds", "--dc", "--pastebin", "--report-log", "--resultlog", "--alluredir", "--pythonwarnings", "--start-directory", "--top-level-directory", "--with-plugin"]),
    (&["rake", "rails"], Letters, &["-f", "--rakefile", "-I", "--libdir", "-r", "--rakelibdir", "-R", "-C", "--directory", "-g", "--system", "-N"]),
    (&["rspec", "rubocop", "minitest", "standardrb", "cucumber", "reek", "brakeman"], Letters, &["-r", "-I", "-o", "--out", "-a", "-A", "--auto-correct", "--autocorrect", "--autocorrect-all", "-f", "--format", "-O", "--options", "--default-path", "-p", "--profile", "--drb", "--cache-root", "-c", "--stdin"]),
    (&["rsync"], Letters, &["-e", "-M", "--remote-option", "--files-from", "--log-file", "--write-batch", "--only-write-batch", "--read-batch", "--partial-dir", "--backup-dir", "--temp-dir", "-T", "--daemon", "--password-file", "--early-input", "--copy-as", "--delete", "--remove-source-files", "--inplace", "--sockopts"]),
    (&["ruff", "black", "isort", "autopep8", "yapf", "docformatter", "pyupgrade", "autoflake"], Letters, &["--fix", "--output-file", "-o", "-i", "--in-place", "--settings-path", "--settings-file", "--sp", "--settings", "--cache-dir", "--add-noqa", "--unsafe-fixes", "--fix-only", "-c", "--code", "--style", "--global-config", "--formatter", "--virtual-env", "--conda-env", "--python-cell-magics"]),
    (&["rustc", "rustdoc", "clippy-driver"], Letters, &["-o", "--out-dir", "--emit", "--extern", "-L", "--sysroot", "-Z", "-C", "--codegen", "--html-in-header", "--html-before-content", "--theme", "--test-builder", "--output", "--output-format"]),
    (&["rustfmt"], Letters, &["--config-path", "--emit"]),
    (&["scp", "sftp"], Letters, &["-S", "-o", "-F", "-J", "-D", "-b", "-s", "-i", "-P"]),
    (&["sed", "gsed"], Letters, &["-i", "--in-place", "-f", "--file"]),
    (&["shellcheck", "hadolint", "yamllint", "markdownlint", "markdownlint-cli2", "vale", "semgrep", "trivy", "checkov", "tflint", "tfsec", "spectral", "commitlint", "actionlint"], Letters, &["-x", "--external-sources", "-c", "-d", "--rules", "-r", "--fix", "-o", "--output", "--ruleset", "--autofix", "--external-checks-dir", "--formatter", "--resolver", "-shellcheck", "-pyflakes", "--rule", "--customRules", "--extends"]),
    (&["shuf"], Letters, &["-o", "--output"]),
    (&["sort"], Letters, &["-o", "--output", "-T", "--temporary-directory", "--files0-from"]),
    (&["sphinx-build", "mkdocs", "mdbook", "hugo", "jekyll"], Letters, &["-c", "-D", "-d", "-w", "--site-dir", "-f", "--dest-dir", "-C", "--source", "-s", "--destination", "--theme", "--themesDir", "-t", "--layouts", "--conf-dir", "--doctree-dir"]),
    (&["split", "csplit"], Letters, &["--filter"]),
    (&["ssh-keygen"], Letters, &["-f", "-D", "-w"]),
    (&["svn", "hg"], Letters, &["-R", "--repository", "--cwd", "--cfg", "--tool", "-t", "--merge-cmd", "--diff3-cmd"]),
    (&["swift", "swiftc", "xcodebuild", "xcrun"], Words, &["-o", "-load-plugin-library", "-load-plugin-executable", "-plugin-path", "-package-path", "-build-path", "-scratch-path", "-C", "-chdir", "-Xcc", "-Xlinker", "-Xswiftc", "-Xfrontend", "-toolchain", "-toolset", "-tools-directory", "-use-ld", "-tools-path", "-derivedDataPath", "-project", "-workspace", "-xcconfig", "-resultBundlePath", "-sdk", "-disable-sandbox", "-disable-build-manifest-caching"]),
    (&["sysctl"], Letters, &["-w", "--write", "-p", "--load", "--system"]),
    (&["tar", "bsdtar", "gtar"], Letters, &["-C", "--directory", "-P", "--absolute-names", "--index-file", "-g", "--listed-incremental", "-T", "--files-from", "-F", "--one-top-level", "--to-stdout-command", "--remove-files", "--recursive-unlink", "--unlink-first", "--overwrite-dir", "--keep-directory-symlink", "--transform", "--xform", "-K"]),
    (&["tcpdump", "tshark", "dumpcap"], Letters, &["-w", "-W", "-F", "-z", "-X", "-r"]),
    (&["terraform", "tofu", "terragrunt", "packer", "vault", "consul", "nomad"], Words, &["-chdir", "-out", "-state-out", "-state", "-backup", "-plugin-dir", "-backend-config", "-from-module", "-var-file", "-config", "-generate-config-out", "-terragrunt-working-dir", "-address"]),
    (&["tree"], Letters, &["-o", "-R", "--output"]),
    (&["tsc", "vue-tsc"], Letters, &["--outDir", "--outFile", "--declarationDir", "--tsBuildInfoFile", "--generateTrace", "--rootDir", "--plugins", "--generateCpuProfile", "--out"]),
    (&["unzip", "7z", "7za", "unrar", "bsdunzip"], Attached, &["-d", "-o", "-i@", "-x@", "-w"]),
    (&["wget"], Letters, &["-O", "-o", "-P", "-i", "--output-document", "--output-file", "--directory-prefix", "--input-file", "-a", "--append-output", "--save-cookies", "--warc-file", "--use-askpass", "--post-file", "--body-file", "--hsts-file", "--rejected-log"]),
    (&["xmllint", "xsltproc"], Letters, &["-o", "--output", "--path", "--catalogs", "--loaddtd", "--writesubtree"]),
    (&["yq"], Letters, &["-i", "--inplace", "--in-place", "-s", "--split-exp", "--from-file"]),
    (&["zip"], Letters, &["-T", "-TT", "--unzip-command", "-m", "--move", "-O", "--output-file", "-b", "--temp-path", "-d", "--delete", "-@"]),
];

/// Options of test runners and bundlers for JavaScript, which scripts of a package pass on.
#[rustfmt::skip]
const SCRIPTS: &[&str] = &[
    "-c", "-r", "--globalSetup", "--globalTeardown", "--setupFiles", "--setupFilesAfterEnv", "--testRunner", "--reporters", "--reporter", "--transform", "--resolver", "--rootDir", "--outfile", "--outdir", "--outputFile", "--output-file", "--out-dir", "--environment", "--testEnvironment",
    "-u", "--updateSnapshot", "--update", "--file", "--root", "--dir", "--coverageDirectory", "--coverage.reportsDirectory", "--cacheDirectory", "--snapshotResolver", "--moduleNameMapper", "--testResultsProcessor", "--projects", "--preset", "--prettierPath", "--ui", "--fgrep-file", "--package", "--opts",
    "--workspace-config", "--gulpfile", "--gruntfile", "--base", "--cwd", "--outputPath", "--output-path", "--define", "--inject", "--banner", "--footer", "--tsconfig", "--node-arg", "--node-option", "--test-arg", "--executablePath", "--experimental-loader", "--loader",
    "--testSequencer", "--runner", "--pool", "--typecheck.checker", "--diff", "--snapshotEnvironment", "--coverage.customProviderModule", "--coverage.provider", "--browser.provider", "--execArgv", "--poolOptions.forks.execArgv", "--poolOptions.threads.execArgv", "--sequence.sequencer", "--testLocationInResults", "--haste", "--globals", "--watchPlugins", "--coverageProvider", "--modulePaths", "--modulePathIgnorePatterns", "--dependencyExtractor", "--snapshotSerializers",
];

/// Options of jest that are something harmless elsewhere.
const JEST: &[&str] = &["--filter", "--env"];

/// Ways of vitest to run tests that come with it.
const POOLS: &[&str] = &["--pool=forks", "--pool=threads", "--pool=vmForks", "--pool=vmThreads"];

/// Options that load code or run a program, whatever the program is that has them.
#[rustfmt::skip]
const LOADERS: &[&str] = &[
    "--agent", "--askpass", "--bootstrap", "--browser", "--call", "--checkpoint-action", "--cmd", "--command", "--compiler", "--compress-program", "--config", "--config-file", "--config-path", "--configfile", "--diff-cmd", "--diff-program", "--difftool", "--editor", "--editor-cmd", "--eval", "--exec",
    "--exec-batch", "--exec-path", "--execute", "--extcmd", "--helper", "--hook", "--import", "--info-script", "--init-command", "--init-file", "--init-hook", "--init-script", "--initscript", "--interpreter", "--launcher", "--linker", "--load", "--load-extension", "--load-plugin", "--load-plugins", "--loader",
    "--new-volume-script", "--node-options", "--on-error", "--on-success", "--open-files-in-pager", "--pager", "--plugin", "--plugin-dir", "--plugin-path", "--plugins", "--post-renderer", "--pre", "--preload", "--preprocessor", "--program", "--prompt-command", "--proxy-command", "--python-executable", "--rcfile",
    "--require", "--resolve-plugins-relative-to", "--rmt-command", "--rsh", "--rsh-command", "--rsync-path", "--rulesdir", "--run-under", "--run_under", "--runner", "--runtool", "--script-shell", "--sendmail-cmd", "--sh-exec", "--shell", "--shell-cmd", "--shell-command", "--startup", "--to-command", "--tool-exec", "--toolexec",
    "--transport", "--upload-pack", "--receive-pack", "--use-compress-program", "--use-compiler", "--viewer", "--wrapper",
];

/// Where such an option says something else.
const OTHERWISE: &[(&str, &[&str])] = &[
    ("cmake", &["--config"]),
    ("ctest", &["--config"]),
    ("git", &["--pre", "--config"]),
    ("msbuild", &["--config"]),
    ("bazel", &["--config"]),
    ("pip", &["--pre"]),
    ("pip3", &["--pre"]),
    ("uv", &["--pre"]),
    ("vsce", &["--pre"]),
];

/// Programs to which a word that begins with `@` is a name; to many others it is a file with more words.
#[rustfmt::skip]
const AT_NAMES: &[&str] = &[
    "bazel", "bun", "bunx", "deno", "echo", "gh", "git", "glab", "grep", "jj", "lerna", "mail", "ng", "npm", "npx", "nx", "pnpm", "pnpx", "printf", "rg", "sl", "stat", "touch", "turbo", "yarn",
];

/// Programs that pass words behind `--` on to others, or take options there themselves.
const PASS_ON: &[&str] = &[
    "bun",
    "cargo",
    "clang-check",
    "clang-tidy",
    "deno",
    "docker",
    "docker-compose",
    "dotnet",
    "gradle",
    "gradlew",
    "hatch",
    "just",
    "lerna",
    "npm",
    "npx",
    "nx",
    "pdm",
    "pipenv",
    "pnpm",
    "poetry",
    "rake",
    "swift",
    "tox",
    "turbo",
    "uv",
    "uvx",
    "yarn",
];

/// Programs that nobody expects behind one of which nothing is known.
#[rustfmt::skip]
const PROGRAMS: &[&str] = &[
    "ash", "bash", "busybox", "chmod", "chown", "curl", "dash", "dd", "doas", "env", "eval", "fish", "ksh", "mkfs", "nc", "ncat", "node", "nohup", "osascript", "perl", "php", "pkexec", "pwsh", "python", "python2", "python3", "rm", "ruby", "sh", "shred", "socat", "ssh", "su", "sudo", "toybox", "wget", "xargs", "zsh",
];

/// What of a command a rule names.
pub(crate) enum Named<'r> {
    /// So many of its first words.
    First(usize),
    /// These words, wherever they stand.
    Words(&'r [&'r str]),
}

/// True when the command has a word that writes, loads or leads elsewhere, and the rule does not name it.
pub(crate) fn strays(simple: &Simple, named: &Named<'_>) -> bool {
    let (program, args) = by_module(simple);
    let sub = args.first().map_or("", |word| word.text.as_str());
    let (short, long) = (program, format!("{program} {sub}"));
    let known = keeps_words(simple);
    let ends = |word: &&(usize, &Word)| word.1.text != "--" || !known || PASS_ON.contains(&program);
    let open: Vec<(usize, &Word)> = simple.words.iter().enumerate().skip(1).collect();
    let free = open.iter().take_while(ends).filter(|(at, word)| match named {
        Named::First(words) => at >= words,
        Named::Words(words) => !words.contains(&word.text.as_str()),
    });
    let free: Vec<&Word> = free.map(|(_, word)| *word).collect();
    let rows = || STRAYS.iter().filter(|(names, ..)| names.contains(&short) || names.contains(&long.as_str()));
    let more = matches!(program, "uniq" | "xxd") && simple.operands().len() > 1;
    // Behind its file `xxd` takes anything for the one that it writes.
    let more = more || program == "xxd" && args.iter().skip_while(|word| word.text.starts_with('-')).count() > 1;
    let passes = matches!(program, "npm" | "pnpm" | "yarn" | "bun" | "npx" | "bunx");
    more || (program == "git" && leaves_git(args, &free))
        || free.iter().any(|word| {
            let text = word.text.as_str();
            let by_row = |(_, dash, flags): &(&[&str], Dash, &[&str])| {
                flags.iter().any(|flag| is_option(text, flag, *dash)) && !is_plain_setting(program, text)
            };
            let reads_more = text.len() > 1 && text.starts_with('@') && !AT_NAMES.contains(&program);
            rows().any(by_row)
                || (passes && !POOLS.contains(&text) && SCRIPTS.iter().any(|flag| is_option(text, flag, Words)))
                || (passes && program != "pnpm" && JEST.iter().any(|flag| is_option(text, flag, Words)))
                || loads(program, text)
                || reads_more
                || sets(program, text)
                || foreign(program, sub, text)
                || (!known && PROGRAMS.contains(&text.rsplit('/').next().unwrap_or(text)))
        })
}

/// True for an option that loads code or runs a program, whatever the program is.
pub(crate) fn loads(program: &str, text: &str) -> bool {
    let name = text.split('=').next().unwrap_or(text);
    let otherwise = OTHERWISE.iter().any(|(other, names)| *other == program && names.contains(&name));
    // Shortened as far as programs take it, and not to words that are options of their own.
    const OWN: &[&str] = &[
        "--check",
        "--diff",
        "--help",
        "--info",
        "--init",
        "--node",
        "--page",
        "--proxy",
        "--resolve",
        "--start",
        "--view",
        "--wrap",
    ];
    let short = |flag: &&str| name.len() >= 6 && flag.starts_with(name) && !OWN.contains(&name);
    name.starts_with("--") && !otherwise && LOADERS.iter().any(|flag| *flag == name || short(flag))
}

/// Whole options that others begin with.
const WHOLE: &[&str] =
    &["--co", "--cov", "--with", "--target", "--project", "--no-build", "--out", "--test", "--in", "--src"];

fn is_option(text: &str, flag: &str, dash: Dash) -> bool {
    let name = text.split('=').next().unwrap_or(text);
    let letter = flag.len() == 2;
    match dash {
        Words if letter => text.starts_with(flag),
        Words => is_word(name, flag),
        Attached if letter => text.starts_with(flag),
        Attached if !flag.starts_with("--") => {
            text.starts_with(flag) || text.strip_prefix('-').is_some_and(|rest| rest.starts_with(flag))
        }
        Letters if flag.len() > 2 && !flag.starts_with("--") => name == flag,
        Attached | Letters => text == flag || (!WHOLE.contains(&name) && is_flag(text, flag)),
    }
}

/// One dash or two; runners of scripts also take `--global-setup` for `--globalSetup`.
fn is_word(name: &str, flag: &str) -> bool {
    let joined = || {
        let (name, flag) = (name.trim_start_matches('-'), flag.trim_start_matches('-'));
        name.contains('-') && name.replace('-', "").eq_ignore_ascii_case(&flag.replace('-', ""))
    };
    name == flag || name.strip_prefix('-') == Some(flag) || joined()
}

/// Words by which git runs another program, or one of a repository that lies in the workspace.
fn leaves_git(args: &[Word], free: &[&Word]) -> bool {
    const MERGING: &[&str] = &["merge", "pull", "rebase", "cherry-pick", "revert"];
    const REMOTE: &[&str] = &["push", "fetch", "pull", "ls-remote", "send-pack", "fetch-pack"];
    let Some((sub, rest)) = args.split_first() else { return false };
    let name = sub.text.as_str();
    let own = |word: &Word| free.iter().any(|free| std::ptr::eq(*free, word));
    let strategy = MERGING.contains(&name)
        && rest.iter().enumerate().any(|(at, word)| {
            let next = rest.get(at + 1).map_or("", |word| word.text.as_str());
            // In the two that pick commits the letter signs them off.
            strategy_of(&word.text, next, !matches!(name, "cherry-pick" | "revert"))
                .is_some_and(|named| own(word) && !STRATEGIES.contains(&named))
        });
    strategy || (REMOTE.contains(&name) && local_remote(rest).is_some_and(own))
}

/// Ways to merge that come with git; any other is a program of that name.
const STRATEGIES: &[&str] = &["ort", "recursive", "resolve", "octopus", "ours", "subtree"];

/// The way to merge that this word names, itself or by the next one.
fn strategy_of<'w>(text: &'w str, next: &'w str, letter: bool) -> Option<&'w str> {
    if let Some(name) = text.strip_prefix("--") {
        let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
        return (name.len() > 2 && "strategy".starts_with(name)).then(|| value.unwrap_or(next));
    }
    let letters = text.strip_prefix('-').filter(|_| letter)?;
    // Behind these everything is their value.
    let before = letters.find(['m', 'F', 'X', 'S', 'o', 'j']).unwrap_or(letters.len());
    let at = letters.find('s').filter(|at| *at < before)?;
    let value = letters.get(at + 1..).unwrap_or_default();
    Some(if value.is_empty() { next } else { value })
}

/// The word that names a repository of this machine, whose hooks and settings would count.
fn local_remote(args: &[Word]) -> Option<&Word> {
    #[rustfmt::skip]
    const VALUED: &[&str] = &[
        "-o", "--push-option", "--depth", "--deepen", "--shallow-since", "--shallow-exclude", "-j", "--jobs", "--refmap", "--negotiation-tip",
        "--server-option", "--filter", "-X", "--strategy-option", "-s", "--strategy", "-m", "-F", "--cleanup", "--sort",
    ];
    let mut first = None;
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if matches!(text, "." | "..")
            || text.starts_with(['/', '~'])
            || text.starts_with("./")
            || text.starts_with("../")
        {
            return Some(word);
        }
        if VALUED.contains(&text) {
            words.next();
        } else if !text.starts_with('-') && first.is_none() {
            first = Some(word);
        }
    }
    first.filter(|word| !matches!(word.text.as_str(), "origin" | "upstream") && !is_far(&word.text))
}

/// A repository on another machine.
fn is_far(text: &str) -> bool {
    let host = text.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'));
    host && !text.starts_with("file:") && !text.contains("::")
}

/// Words that bring code from elsewhere, or run a program, by what they are and not by an option.
fn foreign(program: &str, sub: &str, text: &str) -> bool {
    const IMAGES: &[&str] = &[
        "convert",
        "magick",
        "identify",
        "mogrify",
        "montage",
        "compare",
        "composite",
        "conjure",
        "gm",
        "display",
        "animate",
        "import",
        "stream",
        "gs",
    ];
    const SCHEMES: &[&str] =
        &["msl:", "mvg:", "ephemeral:", "url:", "http:", "https:", "ftp:", "file:", "pango:", "video:"];
    let value = text.split_once('=').map_or(text, |(_, value)| value);
    match program {
        "deno" => {
            text.contains("://") || ["npm:", "jsr:", "data:", "blob:"].iter().any(|scheme| value.starts_with(scheme))
        }
        "docker" | "podman" if matches!(sub, "build" | "buildx") => text.contains("://") || text.starts_with("git@"),
        "tar" | "gtar" | "cpio" => {
            let name = if text.starts_with("--") { text.strip_prefix("--file=").unwrap_or_default() } else { text };
            is_far(name)
        }
        _ if IMAGES.contains(&program) => {
            let lower = value.to_ascii_lowercase();
            value.starts_with('|')
                || value.contains(":|")
                || value.contains("%pipe%")
                || value.contains('@')
                || SCHEMES.iter().any(|scheme| lower.starts_with(scheme))
        }
        _ => false,
    }
}

/// Settings of builds that say nothing but which tests run.
fn is_plain_setting(program: &str, text: &str) -> bool {
    const PLAIN: &[&str] = &[
        "checkstyle.skip",
        "dtest",
        "failIfNoTests",
        "it.test",
        "maven.test.skip",
        "skipITs",
        "skipTests",
        "style.color",
        "surefire.failIfNoSpecifiedTests",
        "test",
        "test.single",
    ];
    let name = text.strip_prefix("-D").map(|rest| rest.split('=').next().unwrap_or(rest));
    match program {
        "vitest" => POOLS.contains(&text),
        "gradle" | "gradlew" | "mvn" | "mvnw" => {
            name.is_some_and(|name| PLAIN.contains(&name)) || matches!(text, "-fae" | "-ff" | "-fn")
        }
        _ => false,
    }
}

/// True for a setting that may name a program: variables of builds, and compilers of cmake.
fn sets(program: &str, text: &str) -> bool {
    const SETTERS: &[&str] = &["configure", "scons", "just", "b2", "bjam", "waf", "config", "autoreconf"];
    if program == "dotnet" && ["/p:", "/property:", "/l:", "/logger:"].iter().any(|flag| text.starts_with(flag)) {
        return true;
    }
    let Some((name, _)) = text.split_once('=') else { return false };
    let variable = !name.starts_with('-') && SETTERS.contains(&program);
    const PARTS: &[&str] = &[
        "COMPILER",
        "LAUNCHER",
        "TOOLCHAIN",
        "INCLUDE",
        "PROGRAM",
        "EXECUTABLE",
        "LINKER",
        "MODULE_PATH",
        "RUNTIME_OUTPUT",
        "_AR",
        "CLANG_TIDY",
        "CPPCHECK",
        "CPPLINT",
        "WHAT_YOU_USE",
        "EMULATOR",
        "PREFIX_PATH",
        "_DIR",
        "_ROOT",
        "RANLIB",
        "OBJCOPY",
        "STRIP",
        "FLAGS",
        "RULE_LAUNCH",
        "SYSROOT",
    ];
    // The value of `-D` may be the next word.
    let defines = name.starts_with("-D") || !name.starts_with('-');
    let built = program == "cmake" && defines && PARTS.iter().any(|part| name.contains(part));
    variable || built
}
