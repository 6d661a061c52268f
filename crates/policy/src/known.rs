//! Programs whose words are only words: names, patterns, messages, files. Of every other program it is not known whether
//! it runs what it is given, so a word of it that is the name of a program may be one that it starts.

use crate::command::possible;
use crate::effects::{Effects, Simple, Word};
use crate::readers;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Programs that run none of their words. Those that only read stand in a table of their own.
#[rustfmt::skip]
static KEEP: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let words = "7z 7za actionlint adduser ag ansible-lint apt apt-cache apt-get aptitude ar as asciidoctor autopep8 aws az b3sum bandit bat batcat biome black brew bq brotli \
        buf bunzip2 bzip2 cat cc c++ c++filt cfn-lint checkmake chgrp chmod chown chsh cksum clang clang++ clang-format clang-tidy cloc cmake codespell commitlint convert cp cpio cppcheck crictl csplit ctags curl cut \
        cspell csslint dart dd delta diff diff3 dig diffstat difft dircolors djlint doctl dot dos2unix dpkg dpkg-query dprint dropdb createdb easy_install echo elm eslint ex exiftool export fallocate false fdfind ffmpeg \
        ffprobe file flake8 flac flatpak fmt gcc g++ gcloud gem getent getopt gettext gfortran ghc gist git-lfs gitleaks glow gofmt goimports golangci-lint gpg gpg2 graphviz grpcurl gsutil gunzip gzip hadolint help hexyl hg host html-validate \
        htmlhint http https hugo identify iconv ifconfig imagemagick infer install isort jar jira jmespath jekyll join jshint json_pp jsonlint k6 kill killall kubeconform kubeval kustomize ktlint ld lcov less link lint ln locate logger look ls \
        lsb_release lsblk lsof lz4 lzma magick man markdownlint markdownlint-cli2 md5 md5sum mdbook mdl mdformat mdls mkdir mkdocs mkfifo mkfs mknod mktemp mogrify mongodump more mount msgfmt mv mypy mysqldump ncdu ncu nft nl nm npm-check npm-check-updates nslookup objcopy objdump od \
        openssl otool oxlint pandoc passwd paste patch pdflatex pdftotext pg_dump pg_restore pgrep phpcs phpstan phpunit ping pip pip3 pkg-config pkill pr prettier printf protoc psalm ps pushd popd py.test pycodestyle pydocstyle pyflakes pylint \
        pyright pytest qpdf ranlib readelf redis-cli rename reuse rm rmdir rpm rspec rsync rsvg-convert rubocop ruff rustc rustfmt rustdoc sass scp semgrep sed seq shasum shellcheck shfmt shred sips sleep snap solhint spectral split sponge spotless sqlfluff stat \
        standardrb strip stylelint stylua sum svgo svn swiftformat swiftlint swagger-cli sync tac taplo tar tee terraform-docs tesseract test tflint tfsec tokei tofu topgrade touch tr traceroute trash trivy true truncate tsc tsort tslint twine umount uncrustify unlink unzip \
        units useradd userdel usermod uuidgen uniq vale vacuumdb vint vitest jest ava mocha vulture wc wget whatis whereis which whois write-good xcodebuild xclip xsel xmllint xsltproc xz yamllint yapf yq zip zipinfo zstd zopfli gh glab jj sl pre-commit tox nox";
    words.split_whitespace().collect()
});

/// Programs whose subcommand says whether words are only words, with the subcommands for which they are.
#[rustfmt::skip]
const BY_SUBCOMMAND: &[(&[&str], &str)] = &[
    (&["git"], "add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config \
        count-objects describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch filter-branch filter-repo for-each-ref format-patch fsck gc grep gui hash-object help index-pack init interpret-trailers lfs log ls-files ls-remote ls-tree \
        mailinfo maintenance merge merge-base merge-file merge-tree mergetool mktag mktree mv name-rev notes pack-objects pack-refs prune pull push range-diff read-tree rebase reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert \
        rm send-email shortlog show show-branch show-ref sparse-checkout stage stash status stripspace submodule subtree switch symbolic-ref tag unpack-objects update-index update-ref var verify-commit verify-pack verify-tag version whatchanged worktree write-tree"),
    (&["cargo"], "add audit bench build b c check clean clippy d deny doc expand fetch fix fmt fuzz generate-lockfile help info init install locate-project login logout machete metadata miri new nextest outdated owner package pkgid publish r-a remove report rm rustc rustdoc search test t tree uninstall update vendor verify-project version yank"),
    (&["npm", "pnpm", "yarn", "bun"], "access add audit bin bugs cache ci completion config create dedupe deprecate diff dist-tag docs doctor edit explain explore fund get help i import info init install install-test link list ll login logout ls org outdated owner pack patch ping pkg pm prefix profile prune publish query rebuild remove repo restart rm root sbom search set shrinkwrap star stop store team token un uninstall unlink unpublish up update upgrade version view why whoami"),
    (&["go"], "build clean doc env fix fmt get help install list mod telemetry test version vet work"),
    (&["docker", "podman", "nerdctl", "docker-compose"], "attach build buildx commit compose config container context cp create diff down events export history image images import info inspect kill load login logout logs manifest network pause plugin port ps pull push rename restart rm rmi save search secret stack start stats stop swarm system tag top trust unpause up update version volume wait"),
    (&["kubectl", "oc"], "annotate api-resources api-versions apply auth autoscale certificate cluster-info completion config cordon cp create delete describe diff drain edit explain expose get kustomize label logs options patch port-forward proxy replace rollout scale set taint top uncordon version wait"),
    (&["helm"], "completion create dependency diff env get history install lint list package plugin pull push registry repo rollback search show status template test uninstall upgrade verify version"),
    (&["terraform", "tofu"], "apply console destroy fmt force-unlock get graph import init login logout metadata modules output plan providers refresh show state taint test untaint validate version workspace"),
    (&["pip", "pip3", "uv", "poetry", "pdm", "pipenv", "conda", "mamba"], "add audit build cache check clean completion config create debug deactivate download env export freeze graph hash help index info init inspect install list lock login logout new outdated pip publish python remove search self show source sync tool tree uninstall uninstall-all update upgrade venv version wheel"),
    (&["bundle", "gem", "composer", "mix", "dotnet", "swift", "stack", "cabal", "rustup"], "add archive build bump cache check clean clean-cache clear-cache completions component config console create-project default depends deps.get deps diagnose doc docs dump-autoload env fetch format freeze fund ghc-pkg help home info init install licenses list lock new nuget open outdated override owner pack package path platform platforms plugin prohibits publish push require remove restore sdist search self set setup show sln specification status store suggests sync target test toolchain uninstall unpack update upgrade validate vendor version which why workload yank"),
    (&["mvn", "mvnw", "gradle", "gradlew", "make", "gmake", "ninja", "bazel", "just", "rake", "ant", "sbt", "lein", "task"], ""),
];

/// True when the program runs none of its words, as far as anybody knows.
pub(crate) fn keeps_words(simple: &Simple) -> bool {
    let (program, args) = by_module(simple);
    if let Some((_, subs)) = BY_SUBCOMMAND.iter().find(|(names, _)| names.contains(&program)) {
        return subs.is_empty() || args.is_empty() || names_one(args, subs);
    }
    let asks = || program == "command" && args.first().is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V"));
    KEEP.contains(program) || readers::is_listed(program) || asks()
}

/// True when the subcommand is one of these. A word behind an option may be its value; the first that is none decides.
fn names_one(args: &[Word], subs: &str) -> bool {
    let mut behind = false;
    for word in args {
        if word.text == "--" || !word.is_fixed() {
            return false;
        }
        let option = word.text.starts_with(['-', '+']);
        if !option {
            let named = subs.split_whitespace().any(|sub| sub == word.text);
            if named || !behind {
                return named;
            }
        }
        behind = option;
    }
    true
}

/// The program, or the module that Python runs as one, with its words.
pub(crate) fn by_module(simple: &Simple) -> (&str, &[Word]) {
    let program = simple.program();
    match (program.starts_with("python") || program.starts_with("pypy"), simple.args()) {
        (true, [flag, module, rest @ ..]) if flag.text == "-m" && module.is_fixed() => (module.text.as_str(), rest),
        (_, args) => (program, args),
    }
}

impl Effects {
    /// Every command that a program may start of which nobody knows what it does with its words.
    pub(crate) fn could_run(&self) -> &[Simple] {
        self.could.get_or_init(|| self.commands.iter().flat_map(could_run).collect())
    }
}

/// Every command that a program may start of which nobody knows what it does with its words; none of one that is known.
pub(crate) fn could_run(simple: &Simple) -> Vec<Simple> {
    if simple.wraps || keeps_words(simple) { Vec::new() } else { possible(simple.args(), &simple.places) }
}
