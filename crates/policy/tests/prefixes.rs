//! Prefixes that people write: which are taken as rules that allow, which are refused with a narrower one named, and what
//! none of them covers.

use crate::reach::allows;
use reasonix_policy::Rule;

/// A prefix, and a line that it is written for.
#[rustfmt::skip]
const TAKEN: &[(&str, &str)] = &[
    ("mvn -q test", "mvn -q test -Dtest=Foo"), ("mvn test", "mvn test -DskipTests"), ("mvn -pl core -am test", "mvn -pl core -am test"), ("./mvnw -B verify", "./mvnw -B verify"), ("pnpm -r test", "pnpm -r test"), ("pnpm --filter app test", "pnpm --filter app test --run"), ("pnpm --filter=app test", "pnpm --filter=app test"),
    ("pnpm test", "pnpm test"), ("npm test", "npm test -- --watch=false"), ("npm run build", "npm run build"), ("npm run", "npm run lint"), ("npm -w app test", "npm -w app test"), ("npm ci", "npm ci"), ("yarn test", "yarn test --ci"), ("yarn workspace app test", "yarn workspace app test"), ("yarn build", "yarn build"),
    ("node --test", "node --test"), ("node --test", "node --test test/a.test.js"), ("node scripts/check.js", "node scripts/check.js --all"), ("bun test", "bun test"), ("bun run build", "bun run build"), ("deno test", "deno test"), ("deno task test", "deno task test"), ("deno fmt", "deno fmt --check"),
    ("cargo test", "cargo test -p x -- --nocapture"), ("cargo build", "cargo build --release --target x86_64-unknown-linux-gnu"), ("cargo clippy", "cargo clippy --all-targets -- -D warnings"), ("cargo -q check", "cargo -q check"), ("cargo +nightly fmt", "cargo +nightly fmt --all"), ("cargo run", "cargo run -- --help"),
    ("go test ./...", "go test ./... -count=1"), ("go test", "go test -short -timeout 30s -run TestX ./pkg"), ("go build", "go build ./..."), ("go vet", "go vet ./..."), ("go run ./cmd/x", "go run ./cmd/x -v"), ("gofmt -l", "gofmt -l ."), ("golangci-lint run", "golangci-lint run ./..."),
    ("python3 -m pytest", "python3 -m pytest -q tests --cov=src"), ("pytest", "pytest -x -q -k name"), ("python3 -m unittest", "python3 -m unittest discover"), ("python3 scripts/x.py", "python3 scripts/x.py --all"), ("uv run pytest", "uv run pytest -q"), ("uv sync", "uv sync"), ("poetry run pytest", "poetry run pytest -q"),
    ("poetry install", "poetry install --with dev"), ("pip install -r requirements.txt", "pip install -r requirements.txt"), ("mypy", "mypy src"), ("ruff check", "ruff check src"), ("black --check", "black --check src"), ("coverage run -m pytest", "coverage run -m pytest"), ("tox", "tox"),
    ("make test", "make test V=1 -j4"), ("make", "make lint"), ("just test", "just test"), ("cmake --build build", "cmake --build build --config Release"), ("cmake -S . -B build", "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release"), ("ctest", "ctest --test-dir build"), ("ninja", "ninja test"),
    ("docker compose ps", "docker compose ps -a"), ("docker compose logs", "docker compose logs -f web"), ("docker ps", "docker ps"), ("docker build", "docker build -t x ."), ("kubectl get", "kubectl get pods"), ("kubectl -n dev get", "kubectl -n dev get pods"), ("kubectl logs", "kubectl logs x"), ("terraform plan", "terraform plan"),
    ("gradle test", "gradle test --tests Foo"), ("./gradlew --no-daemon test", "./gradlew --no-daemon test --info"), ("dotnet test", "dotnet test --no-build -c Release"), ("dotnet build", "dotnet build"), ("bundle exec rspec", "bundle exec rspec spec/a_spec.rb"), ("bundle install", "bundle install"), ("rake test", "rake test"),
    ("npx tsc --noEmit", "npx tsc --noEmit"), ("npx jest", "npx jest --coverage"), ("npx eslint", "npx eslint src"), ("tsc", "tsc --noEmit"), ("eslint", "eslint src"), ("prettier --check", "prettier --check ."), ("vitest run", "vitest run"), ("playwright test", "playwright test --project=chromium"), ("swift test", "swift test"), ("mix test", "mix test"),
    ("git merge", "git merge -s ours -m his b"), ("git merge", "git merge -ms b"), ("git cherry-pick", "git cherry-pick -s HEAD"), ("git rebase", "git rebase --strategy=ort origin/main"), ("git push", "git push -u origin feature/x"), ("git push", "git push"), ("git push fork", "git push fork HEAD"), ("git fetch", "git fetch --depth 1 origin main"), ("git pull", "git pull --rebase origin main"), ("git fetch", "git fetch git@h:a/b main"), ("vitest run", "vitest run --pool=forks"), ("tar cf a.tar", "tar cf a.tar src"), ("convert", "convert a.png b.jpg"), ("clang-tidy", "clang-tidy src/a.c"),
    ("gh pr view", "gh pr view 5"), ("gh -R o/r pr view", "gh -R o/r pr view 5"), ("git add", "git add -A"), ("git commit", "git commit -m 'x y'"), ("git commit", "git commit --no-verify -m x"), ("git fetch", "git fetch origin"), ("java -jar build/app.jar", "java -jar build/app.jar --help"), ("composer test", "composer test"), ("bazel test", "bazel test //..."), ("shellcheck", "shellcheck a.sh"),
];

#[test]
fn prefixes_of_every_day_are_taken_and_cover_what_they_are_written_for() {
    assert!(TAKEN.len() >= 60);
    let refused: Vec<_> =
        TAKEN.iter().filter_map(|(prefix, _)| Rule::parse_allow(&format!("Bash({prefix}:*)")).err()).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    let missed: Vec<_> = TAKEN.iter().filter(|(prefix, line)| !allows(&[&format!("Bash({prefix}:*)")], line)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Prefixes that would cover code or another program.
#[rustfmt::skip]
const REFUSED: &[&str] = &[
    "python3", "python", "python3.12", "python3 -c", "python3 -m", "python3 -u", "python3 -", "pypy3", "node", "node -e", "node --require", "node --import", "node -r", "node --test --import", "nodejs", "ruby", "ruby -e", "ruby -r", "perl", "perl -e", "perl -M", "php", "php -r", "lua", "lua -e", "java", "java -cp x", "java -javaagent:x",
    "deno", "deno run", "deno eval", "deno repl", "bun", "bun run", "bun x", "bunx", "tsx", "ts-node", "Rscript", "julia", "julia -e", "elixir", "groovy", "scala", "swipl", "octave", "gnuplot", "osascript", "pwsh", "tclsh", "expect", "racket", "guile",
    "bash", "bash -c", "sh", "sh -c", "zsh", "dash", "fish", "ksh", "bash -x", "eval", "exec", "source", ".", "command", "builtin", "env", "env A=1", "env -i", "sudo", "sudo -u me", "doas", "su", "nice", "nice -n 5", "nohup", "time", "timeout", "timeout 5", "timeout 5 bash", "setsid", "stdbuf", "stdbuf -oL", "ionice", "chrt", "taskset",
    "strace", "ltrace", "perf", "perf stat", "valgrind", "gdb", "lldb", "rr", "xargs", "xargs -n 1", "parallel", "watch", "entr", "watchexec", "nodemon", "hyperfine", "script", "tmux", "screen", "ssh", "ssh host", "sshpass", "chronic", "retry", "pee", "flock x", "unshare", "chroot x", "bwrap", "firejail", "busybox", "busybox sh", "toybox",
    "find", "find . -exec", "find . -execdir", "fd -x", "fd", "awk", "gawk", "sed", "ed", "vim", "vim -c", "nvim", "emacs", "less", "more", "man -P", "fzf", "git", "git -C sub", "git -c", "git --no-pager", "git rebase -x", "git bisect run", "git submodule foreach", "hg --config", "svn --config-option",
    "npm", "npm exec", "npm x", "npm --prefix d", "npm -s", "npx", "pnpm", "pnpm -r", "pnpm dlx", "pnpm exec", "yarn", "yarn exec", "yarn dlx", "yarn workspace", "cargo", "cargo +nightly", "cargo --config", "go", "go run", "go tool", "go test -exec", "uv", "uv run", "uv run python", "uvx", "poetry", "poetry run", "pipenv run", "pdm run", "conda run", "hatch run",
    "bundle", "bundle exec", "composer exec", "rails runner", "mix run", "stack exec", "cabal exec", "dune exec", "opam exec", "nix", "nix run", "nix-shell", "mvn", "mvn -q", "gradle", "gradle -I", "dotnet", "swift", "docker", "docker run", "docker exec", "docker compose", "docker compose exec", "docker compose run", "podman run", "kubectl", "kubectl exec", "kubectl -n x", "kubectl run", "helm", "terraform", "gh", "aws",
    "psql", "mysql", "sqlite3", "duckdb", "mongosh --eval", "redis-cli --eval", "tar --to-command=x", "tar -I", "tar --use-compress-program", "rsync -e", "rsync --rsh", "scp -S", "make --eval=x", "cmake -P", "eslint --config", "jest --config", "prettier --plugin", "webpack --config", "mocha --require", "pylint --load-plugins", "rg --pre", "sort --compress-program", "split --filter", "bat --pager", "curl -K", "wget -e", "crontab", "at", "batch",
    "FOO=1 cargo test", "LD_PRELOAD=x ls", "PYTHONPATH=x pytest", "NODE_OPTIONS=x npm test", "GIT_SSH_COMMAND=x git fetch", "PAGER=x git log", "/usr/bin/python3", "./venv/bin/python", "coverage run", "direnv exec", "ip netns exec", "ld.so", "setarch", "rustup run", "cross-env", "dotenv", "op run", "doppler run", "aws-vault exec",
];

#[test]
fn a_prefix_that_reaches_too_far_is_refused_and_a_narrower_one_is_named() {
    assert!(REFUSED.len() >= 120);
    let mut missed = Vec::new();
    for prefix in REFUSED {
        let Err(error) = Rule::parse_allow(&format!("Bash({prefix}:*)")) else {
            missed.push(format!("{prefix} is taken"));
            continue;
        };
        let named = error.reason.rsplit("Bash(").next().and_then(|rest| rest.rsplit_once(')')).map(|(text, _)| text);
        match named {
            Some(text) if Rule::parse_allow(&format!("Bash({text})")).is_ok() && text != format!("{prefix}:*") => {}
            _ => missed.push(format!("{prefix}: {}", error.reason)),
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// A prefix that is taken, and lines that begin so and do something else than it says.
#[rustfmt::skip]
const BEYOND: &[(&str, &[&str])] = &[
    // Files with more words in them.
    ("gcc", &["gcc @args", "gcc -c a.c @more.rsp"]), ("clang", &["clang @x"]), ("ld", &["ld @x"]), ("javac", &["javac @argfile"]), ("rustc a.rs", &["rustc a.rs @x"]), ("cargo rustc", &["cargo rustc -- @x"]), ("pytest", &["pytest @list"]), ("mypy", &["mypy @files"]), ("tar xf", &["tar xf a -T list", "tar xf a --files-from=list", "tar xf a --files-fr list"]),
    ("java -jar app.jar", &["java -jar app.jar @x"]), ("dotnet build", &["dotnet build @x.rsp", "dotnet build /p:CustomBeforeMicrosoftCommonTargets=x"]), ("protoc", &["protoc @x"]), ("unknown-tool", &["unknown-tool @x"]),
    // Behind a wrapper that the rule names.
    ("timeout 60 cargo test", &["timeout 60 cargo test --manifest-path d/Cargo.toml", "timeout 60 cargo test --config x"]), ("uv run pytest", &["uv run pytest -c x", "uv run pytest -p evil", "uv run pytest --rootdir d"]), ("npx jest", &["npx jest --config x", "npx jest --globalSetup ./x"]), ("bundle exec rspec", &["bundle exec rspec -r ./x"]),
    ("poetry run pytest", &["poetry run pytest --override-ini python_files=x"]), ("npx eslint", &["npx eslint --rulesdir d"]), ("nice make test", &["nice make test -f x"]), ("pnpm exec tsc", &["pnpm exec tsc --outDir /x"]),
    // Behind `--`.
    ("npm test", &["npm test -- --config x", "npm test -- --require ./x", "npm test -- -r ./x", "npm test -- --globalSetup=./x", "npm test -- --outputFile=x"]), ("yarn test", &["yarn test --config x", "yarn test --setupFiles ./x"]), ("cargo test", &["cargo test -- --logfile x"]), ("cargo run", &["cargo run -- --config x"]), ("pnpm test", &["pnpm test -- --plugin x"]),
    // The same option once more than the rule names it.
    ("make -C d", &["make -C d -C e", "make -C d -f x"]), ("sort -o f", &["sort -o f a -o g"]), ("pip install -r requirements.txt", &["pip install -r requirements.txt -r other.txt", "pip install -r requirements.txt --index-url http://x"]),
    // In another folder a relative program is another one.
    ("./build", &["cd x && ./build", "cd x; ./build", "cd /tmp && ./build", "cd .. && ./build all"]), ("bash scripts/x.sh", &["cd d && bash scripts/x.sh"]), ("python3 scripts/x.py", &["cd d && python3 scripts/x.py"]), ("node scripts/x.js", &["cd d && node scripts/x.js"]), ("timeout 5 ./build", &["cd d && timeout 5 ./build"]), ("bin/check", &["cd d && bin/check"]),
    // Variables.
    ("cargo test", &["LD_PRELOAD=x cargo test", "RUSTC_WRAPPER=./x cargo test", "env RUSTFLAGS=x cargo test"]), ("pytest", &["PYTHONPATH=x pytest", "PYTEST_ADDOPTS='-p x' pytest"]), ("npm test", &["NODE_OPTIONS=--require=./x npm test", "PATH=./x npm test"]), ("git fetch", &["GIT_SSH_COMMAND=./x git fetch", "GIT_CONFIG_COUNT=1 git fetch"]), ("man ls", &["PAGER=./x man ls", "MANPAGER=x man ls"]),
    ("make test", &["make test CC=./x", "make test PYTHON=./x", "make test SHELL=./x", "make test MAKEFLAGS=x", "make test FOO=bar", "make test V='1;x'"]), ("./configure", &["./configure CC=./x", "./configure PYTHON=x"]), ("just test", &["just x=./y test", "just test --set a b", "just test -f x"]), ("cmake -S . -B build", &["cmake -S . -B build -DCMAKE_C_COMPILER=./x", "cmake -S . -B build -DCMAKE_CXX_COMPILER_LAUNCHER=./x", "cmake -S . -B build --toolchain x"]),
    // Options that load code or run a program, with every program.
    ("unknown-tool", &["unknown-tool --config x", "unknown-tool --config=x", "unknown-tool --conf=x", "unknown-tool --plugin ./x", "unknown-tool --pager x", "unknown-tool --editor x", "unknown-tool --rsh=x", "unknown-tool --exec x", "unknown-tool --to-command=x", "unknown-tool --use-compress-program=x", "unknown-tool --eval x", "unknown-tool --shell=x", "unknown-tool --require ./x", "unknown-tool --preload ./x", "unknown-tool --init-script x"]),
    ("unknown-tool", &["unknown-tool sh -c x", "unknown-tool rm x", "unknown-tool -- bash x", "unknown-tool python3 x.py", "unknown-tool /bin/sh x", "unknown-tool curl h"]),
    ("go test", &["go test -exec ./x", "go test -toolexec=./x", "go test -o f", "go test -C d", "go test -ldflags=-extld=x", "go test -coverprofile=f", "go test -overlay x", "go test -vettool=./x"]), ("cargo build", &["cargo build --config x", "cargo build -Z x", "cargo build --target-dir /x", "cargo build -C d"]), ("node --test", &["node --test --import ./x", "node --test -r ./x", "node --test --test-reporter ./x", "node --test -e x"]), ("bun test", &["bun test --preload ./x", "bun test --cwd d"]), ("deno test", &["deno test -A", "deno test --allow-run", "deno test --import-map x", "deno test -c x"]),
    ("mvn test", &["mvn test -f x", "mvn test -s x", "mvn test -Dexec.executable=x", "mvn test -DargLine=-javaagent:x", "mvn test -Dmaven.ext.class.path=x", "mvn test --settings x"]), ("gradle test", &["gradle test -I x", "gradle test --init-script x", "gradle test -b x", "gradle test -Dorg.gradle.java.home=x"]), ("java -jar app.jar", &["java -jar app.jar -javaagent:x"]), ("javac A.java", &["javac A.java -processorpath x", "javac A.java -Xplugin:x", "javac A.java -J-javaagent:x"]),
    ("gcc a.c", &["gcc a.c -o f", "gcc a.c -fplugin=x", "gcc a.c -wrapper x", "gcc a.c -B d", "gcc a.c -specs=x", "gcc a.c -Wl,-plugin,x", "gcc a.c -fuse-ld=x"]), ("rustc a.rs", &["rustc a.rs -C linker=x", "rustc a.rs --extern x=y", "rustc a.rs -o f"]), ("tar cf a.tar", &["tar cf a.tar -I x b", "tar cf a.tar --use-compress-program=x b", "tar cf a.tar --to-command=x b", "tar cf a.tar --checkpoint=1 --checkpoint-action=exec=x b", "tar cf a.tar -C d b", "tar cf a.tar --remove-files b"]), ("rsync -a a b", &["rsync -a a b -e x", "rsync -a a b --rsh=x", "rsync -a a b --rsync-path=x", "rsync -a a b --files-from=x"]),
    ("pytest", &["pytest -c x", "pytest -p x", "pytest --rootdir d", "pytest --tx popen//python=x", "pytest --pdbcls=x:y", "pytest -o addopts=x", "pytest --junitxml=f"]), ("eslint", &["eslint -c x a", "eslint --config x a", "eslint --plugin x a", "eslint --parser ./x a", "eslint -f ./x a", "eslint --resolve-plugins-relative-to d a"]), ("kubectl get", &["kubectl get pods --kubeconfig x", "kubectl get pods --context x"]), ("helm template", &["helm template x --post-renderer ./y"]), ("terraform plan", &["terraform plan -out=f", "terraform plan -chdir=d"]), ("docker compose up", &["docker compose up --project-directory d", "docker compose up --env-file x"]), ("docker build", &["docker build -f x .", "docker build --secret id=x .", "docker build -o f ."]),
    ("git fetch", &["git fetch --upload-pack=x", "git fetch ext::x"]),
    // Ways to merge that are programs, and repositories of the workspace, whose hooks run.
    ("git cherry-pick", &["git cherry-pick --strategy=x/../evil3 HEAD", "git cherry-pick --strategy x HEAD", "git cherry-pick --strat=x HEAD"]), ("git merge", &["git merge -s x/../evil3 b", "git merge -sx b", "git merge -qs x b", "git merge --strategy x b"]), ("git rebase", &["git rebase -s x main", "git rebase --strategy=x main"]), ("git revert", &["git revert --strategy=x HEAD"]),
    ("git pull", &["git pull --rebase --strategy=x", "git pull ./r.git main", "git pull .. main", "git pull r main", "git pull --upload-pack=./x origin"]), ("git push", &["git push ./r.git HEAD", "git push r.git HEAD", "git push r HEAD", "git push file:///x HEAD", "git push --repo=./r.git", "git push -o origin ./r.git", "git push --odd origin ./r.git HEAD", "git push --receive-pack=./x origin"]), ("git fetch", &["git fetch ./r.git", "git fetch --depth 1 r.git", "git fetch x.bundle"]), ("git apply", &["git apply --unsafe-paths x.patch"]),
    ("tox", &["tox --override testenv.commands=x", "tox --override=testenv.commands=x"]), ("cmake -S . -B build", &["cmake -S . -B build -D CMAKE_C_COMPILER=./x", "cmake -S . -B build -DCMAKE_CXX_CLANG_TIDY=./x", "cmake -S . -B build -D CMAKE_PREFIX_PATH=x"]), ("cppcheck", &["cppcheck --addon=x a", "cppcheck --addon-python=x a", "cppcheck --clang=x a", "cppcheck --rule-file=x a"]), ("clang-tidy", &["clang-tidy --extra-arg=-fplugin=x a", "clang-tidy -extra-arg-before=-fplugin=x a", "clang-tidy a -- -fplugin=x", "clang-tidy a -- -Xclang -load"]),
    ("bazel test", &["bazel test --credential_helper=x //...", "bazel test --shell_executable=x //...", "bazel test --override_module=a=b //..."]), ("isort", &["isort --formatter x a"]), ("jest", &["jest --filter=./x", "jest --env ./x", "jest --testSequencer ./x", "jest --test-sequencer ./x", "jest --runner ./x", "jest --resolver ./x", "jest --globalSetup ./x", "jest --global-setup ./x"]), ("npm test", &["npm test -- --env=./x", "npm test -- --filter=./x", "npm test -- --global-setup ./x"]),
    ("vitest run", &["vitest run --pool ./x", "vitest run --pool=./x", "vitest run --typecheck.checker ./x", "vitest run --diff ./x", "vitest run --reporter ./x"]), ("deno test", &["deno test https://h/x.ts", "deno test npm:x", "deno test jsr:@a/b"]), ("tar -cf", &["tar -cf host:a b", "tar -cf u@host:a b"]), ("tar cf a.tar", &["tar cf a.tar --file=host:a b"]), ("convert", &["convert '|x' y", "convert png:'|x' y", "convert msl:x y", "convert https://h/x y"]), ("docker build", &["docker build https://h/x"]), ("git commit", &["git commit --edit -m x"]), ("git config", &["git config core.pager x", "git config alias.x '!y'", "git config core.hooksPath .", "git config --global core.editor x"]), ("pip install", &["pip install --target d x", "pip install -e .", "pip install -r x"]), ("uv run pytest", &["uv run --with x pytest"]), ("ruff check", &["ruff check --fix a", "ruff check --config x"]), ("black", &["black --config x a"]), ("curl", &["curl -o f h", "curl --config x h", "curl -K x"]), ("latexmk", &["latexmk -shell-escape a", "latexmk -pdflatex=x a"]), ("ctags", &["ctags --options=x"]), ("zip a.zip", &["zip a.zip b -T -TT x", "zip a.zip -m b"]), ("pandoc a.md", &["pandoc a.md --filter x", "pandoc a.md --lua-filter x", "pandoc a.md --pdf-engine=x"]),
];

#[test]
fn no_prefix_covers_what_it_does_not_name() {
    let mut missed: Vec<&&str> = Vec::new();
    for (prefix, lines) in BEYOND {
        let rule = format!("Bash({prefix}:*)");
        assert!(Rule::parse_allow(&rule).is_ok(), "{rule}: {:?}", Rule::parse_allow(&rule));
        missed.extend(lines.iter().filter(|line| allows(&[&rule], line)));
    }
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(BEYOND.iter().map(|(_, lines)| lines.len()).sum::<usize>() >= 120);
}

/// A prefix, and lines that begin so and lead out of the workspace or name other code.
#[rustfmt::skip]
const OUT: &[(&str, &[&str])] = &[
    ("npm test", &["cd /elsewhere && npm test", "cd .. && npm test", "cd ../x && npm test", "npm test -w ../x", "npm test --workspace=../x", "npm test --workspace /x", "npm test --prefix /x", "npm test --prefix=../x", "npm --prefix /x test", "npm test -- /tmp/x.test.js", "npm test -C ../x"]),
    ("pytest", &["pytest /tmp/x", "pytest ../x", "pytest sub/../../x", "pytest -c /tmp/x", "pytest -p plugin", "pytest -c /tmp/x -p plugin", "pytest --rootdir=/x", "pytest --ignore=/x/y", "cd /tmp && pytest", "cd /tmp && timeout 5 pytest", "pytest tests /tmp/x", "pytest --cov=../x"]),
    ("python3 -m pytest", &["python3 -m pytest /tmp/x", "cd ../x && python3 -m pytest"]), ("uv run pytest", &["uv run pytest /tmp/x", "cd /x && uv run pytest"]), ("npx jest", &["npx jest /tmp/x", "npx jest --rootDir ../x", "npx jest --config /tmp/x"]), ("jest", &["jest --config /tmp/x", "jest --rootDir=/x", "jest --roots ../x"]),
    ("cargo test", &["cargo test --manifest-path /x/Cargo.toml", "cd /x && cargo test", "cargo test --target-dir /x"]), ("cargo build", &["cd ../x; cargo build"]), ("make", &["make -C /x", "make -f /x", "make -C /x -f /x", "make --directory=/x", "cd /x && make", "make -I/x test"]), ("go test", &["go test /x/...", "go test ../x/...", "go test -C /x", "cd /x && go test ./..."]),
    ("mvn test", &["mvn test -f /x", "mvn test --file=/x/pom.xml", "cd /x && mvn test"]), ("gradle test", &["gradle test -p /x", "gradle test -p ../x", "gradle test --project-dir /x", "gradle test --include-build ../x"]), ("dotnet test", &["dotnet test ../x", "dotnet test /x/y.csproj"]), ("tsc", &["tsc -p ../x", "tsc --project /x"]), ("eslint", &["eslint /x", "eslint ../x"]),
    ("node --test", &["node --test /tmp/x.js", "node --test ../x"]), ("bundle exec rspec", &["bundle exec rspec /x", "bundle exec rspec ../x"]), ("docker build", &["docker build ../x", "docker build -t x /x"]), ("cmake --build build", &["cmake --build build --target ../x"]), ("ctest", &["ctest --test-dir /x"]), ("pip install", &["pip install ../x", "pip install /x", "pip install file:///x"]), ("npm install", &["npm install ../x", "npm install file:../x"]),
    ("git add", &["git add ../x", "cd /x && git add ."]), ("phpunit", &["phpunit ../x"]), ("mix test", &["mix test ../x"]), ("deno test", &["deno test /x"]), ("swift test", &["swift test --package-path /x"]), ("tox", &["cd ../x && tox"]), ("just test", &["just test -d /x"]), ("ruff check", &["ruff check /x"]),
];

/// What stays in the workspace, or is named by the rule.
#[rustfmt::skip]
const HERE: &[(&str, &str)] = &[
    ("npm test", "cd sub && npm test"), ("npm test", "cd sub/deep && npm test -- --watch=false"), ("npm test", "npm test -w packages/a"), ("npm test", "npm test > /dev/null 2>&1"), ("pytest", "pytest tests/a.py::test_x"), ("pytest", "pytest -q --junit-prefix=x tests"), ("pytest /tmp/x", "pytest /tmp/x -q"), ("cargo test", "cargo test a::b"), ("cargo test", "cat /etc/os-release && cargo test"), ("go test", "go test ./..."),
    ("bazel test", "bazel test //..."), ("git commit", "git commit -m 'see /etc/hosts and ../x'"), ("git diff", "git diff HEAD..main"), ("gcc", "gcc -I/usr/include -c a.c"), ("make", "make -j4 test"), ("make -C ../x", "make -C ../x"), ("docker build", "docker build -t a/b:1.0 ."), ("curl", "curl -s https://h/a/../b"), ("npm install", "npm install @a/b"), ("kubectl get", "kubectl get pods -o json"), ("touch", "touch /x/y"), ("mkdir", "mkdir -p ../x"),
];

#[test]
fn no_prefix_leads_out_of_the_workspace() {
    let missed: Vec<&&str> = OUT
        .iter()
        .flat_map(|(prefix, lines)| lines.iter().filter(move |line| allows(&[&format!("Bash({prefix}:*)")], line)))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(OUT.iter().map(|(_, lines)| lines.len()).sum::<usize>() >= 60);
    let held: Vec<_> = HERE.iter().filter(|(prefix, line)| !allows(&[&format!("Bash({prefix}:*)")], line)).collect();
    assert!(held.is_empty(), "{held:#?}");
    assert!(allows(&["Bash(cd ../x && npm test)"], "cd ../x && npm test"), "the very line");
    assert!(!allows(&["Bash(npm test)"], "cd ../x && npm test"), "an exact rule is for here too");
    assert!(allows(&["Bash"], "cd ../x && npm test"), "everything is everything");
}

#[test]
fn the_exact_form_is_bound_to_its_folder_too() {
    assert!(allows(&["Bash(./build)"], "./build"));
    assert!(allows(&["Bash(./build)"], "./build && ls"));
    assert!(!allows(&["Bash(./build)"], "cd x && ./build"));
    assert!(allows(&["Bash(cd x && ./build)"], "cd x && ./build"), "the very line");
    assert!(allows(&["Bash(npm test:*)"], "cd sub && npm test"));
}
