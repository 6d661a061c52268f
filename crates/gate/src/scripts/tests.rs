//! Each way to run a file: what is in it counts, and nothing else does.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::Scripts;
use crate::files::Files;
use reasonix_policy::analyse;
use reasonix_testkit::TempWorkspace;
use reasonix_workspace::{Options, Workspace};

/// A line, and what it runs.
#[rustfmt::skip]
const FORMS: &[(&str, &[&str])] = &[
    ("bash s.sh", &["s.sh"]),
    ("bash s.sh data", &["s.sh"]),
    ("sh -x s.sh data", &["s.sh"]),
    ("bash -eu -o pipefail s.sh data", &["s.sh"]),
    ("bash --norc s.sh data", &["s.sh"]),
    ("./s.sh", &["s.sh"]),
    ("sub/t.sh x", &["sub/t.sh"]),
    ("source s.sh", &["s.sh"]),
    (". ./s.sh", &["s.sh"]),
    ("bash < s.sh", &["s.sh"]),
    ("bash -s < s.sh", &["s.sh"]),
    ("bash /dev/stdin < s.sh", &["s.sh"]),
    ("cat s.sh | bash", &["s.sh"]),
    ("cat s.sh data | sh -", &["data", "s.sh"]),
    ("cd sub && bash t.sh", &["sub/t.sh"]),
    ("(cd sub; ./t.sh)", &["sub/t.sh"]),
    ("bash -c 'cd sub && sh t.sh'", &["sub/t.sh"]),
    ("timeout 9 nice bash s.sh", &["s.sh"]),
    ("env A=1 bash s.sh", &["s.sh"]),
    ("bash --rcfile s.sh -i", &["s.sh"]),
    ("bash --init-file=s.sh -i", &["s.sh"]),
    ("python3 p.py", &["p.py"]),
    ("python3 -u p.py data", &["p.py"]),
    ("python3 -W ignore p.py", &["p.py"]),
    ("python3 -W data p.py", &["data", "p.py"]),
    ("python3.12 -X dev p.py", &["p.py"]),
    ("python3 pkg", &["pkg/__main__.py"]),
    ("python3 -m p", &["p.py"]),
    ("python3 -m pkg", &["pkg/__init__.py", "pkg/__main__.py"]),
    ("python3 -m pkg.mod data", &["pkg/__init__.py", "pkg/mod.py"]),
    ("python3 -um pkg.mod", &["pkg/__init__.py", "pkg/mod.py"]),
    ("python3 -mpkg.mod", &["pkg/__init__.py", "pkg/mod.py"]),
    ("cd sub && python3 -m q", &["sub/q.py"]),
    ("python3 -m pytest", &[]),
    ("node a.js", &["a.js"]),
    ("node a", &["a.js"]),
    ("node .", &["main.js", "package.json"]),
    ("node sub/lib", &["sub/lib/index.js"]),
    ("node -r ./hook.js a.js", &["a.js", "hook.js"]),
    ("node --require=./hook.js a.js", &["a.js", "hook.js"]),
    ("deno run x.ts", &["package.json", "x.ts"]),
    ("deno run -A x.ts", &["package.json", "x.ts"]),
    ("bun run x.ts", &["package.json", "x.ts"]),
    ("npm run x", &["package.json"]),
    ("npm test", &["package.json"]),
    ("pnpm build", &["package.json"]),
    ("yarn x", &["package.json"]),
    ("cd sub && npm test", &["package.json"]),
    ("npm --prefix app run x", &["app/package.json", "package.json"]),
    ("npm -w app test", &["app/package.json", "package.json"]),
    ("yarn --cwd=app x", &["app/package.json", "package.json"]),
    ("make target", &["Makefile"]),
    ("make -C app", &["Makefile", "app/GNUmakefile"]),
    ("make -Capp", &["Makefile", "app/GNUmakefile"]),
    ("make -f other.mk all", &["Makefile", "other.mk"]),
    ("make -fother.mk all", &["Makefile", "other.mk"]),
    ("make --file=other.mk", &["Makefile", "other.mk"]),
    ("just x", &["justfile"]),
    ("cd sub && just x", &["justfile"]),
    ("just --justfile other.mk x", &["justfile", "other.mk"]),
    ("task x", &["Taskfile.yml"]),
    ("rake x", &["Rakefile"]),
    ("ruby x.rb", &["x.rb"]),
    ("perl x.pl", &["x.pl"]),
    ("perl -w x.pl", &["x.pl"]),
    ("php x.php", &["x.php"]),
    ("php -f x.php", &["x.php"]),
    ("lua x.lua", &["x.lua"]),
    ("go run x.go", &["x.go"]),
    ("java X.java", &["X.java"]),
    ("awk -f x.awk data", &["x.awk"]),
    ("sed -n -f x.sed data", &["x.sed"]),
    ("make -sf other.mk", &["Makefile", "other.mk"]),
    ("make -sfother.mk", &["Makefile", "other.mk"]),
    ("make -ksf other.mk all", &["Makefile", "other.mk"]),
    ("make --makef=other.mk", &["Makefile", "other.mk"]),
    ("make --makef other.mk", &["Makefile", "other.mk"]),
    ("make -sC app", &["Makefile", "app/GNUmakefile"]),
    ("make -sCapp", &["Makefile", "app/GNUmakefile"]),
    ("make --direc=app", &["Makefile", "app/GNUmakefile"]),
    ("make --direc app", &["Makefile", "app/GNUmakefile"]),
    ("bash 0<s.sh", &["s.sh"]),
    ("bash 0< s.sh", &["s.sh"]),
    ("node --require=./hook a.js", &["a.js", "hook.js"]),
    ("node -r ./hook a.js", &["a.js", "hook.js"]),
    ("node --import=./hook.js a.js", &["a.js", "hook.js"]),
    ("node --require=./sub/lib a.js", &["a.js", "sub/lib/index.js"]),
    ("python3 -m comp", &["__pycache__/comp.cpython-312.pyc", "comp.py"]),
    ("python3 -um comp", &["__pycache__/comp.cpython-312.pyc", "comp.py"]),
    ("python3 -m bare", &["bare.pyc"]),
    ("perl -I. -MFoo x.pl", &["Foo.pm", "x.pl"]),
    ("perl -Iinc -MFoo::Bar=a x.pl", &["inc/Foo/Bar.pm", "x.pl"]),
    ("perl -I inc -MFoo::Bar x.pl", &["inc/Foo/Bar.pm", "x.pl"]),
    ("ruby -I. -rfoo x.rb", &["foo.rb", "x.rb"]),
    ("tar xf data --to-command=./s.sh", &["s.sh"]),
    ("tar --to-comm=./s.sh -x", &["s.sh"]),
    ("tar -x -I ./s.sh", &["s.sh"]),
    ("sed -nf x.sed data", &["x.sed"]),
    ("sed -nfx.sed data", &["data", "x.sed"]),
    ("cargo test", &[]),
    ("cat data", &[]),
    ("echo s.sh", &[]),
];

const DATA: &str = "data";

fn place() -> (TempWorkspace, Files) {
    let work = TempWorkspace::new();
    let all = FORMS.iter().flat_map(|(_, names)| names.iter()).chain(["sub/data", DATA, "ignored"].iter());
    all.for_each(|name| drop(work.write(name, "one\n")));
    work.write("package.json", r#"{"main": "main", "scripts": {"x": "true"}}"#);
    let workspace = Workspace::open(&work.path(), Options::default()).unwrap();
    (work, Files::new(workspace, false))
}

fn scripts(files: &Files, line: &str) -> Scripts {
    Scripts::run_by(files, &[analyse(line)], false, std::iter::empty())
}

#[test]
fn each_form_names_what_it_runs() {
    let (_work, files) = place();
    for (line, names) in FORMS {
        assert_eq!(scripts(&files, line).0.keys().collect::<Vec<_>>(), *names, "{line}");
    }
}

#[test]
fn each_of_them_counts_by_what_is_in_it_and_nothing_else_does() {
    for (line, names) in FORMS {
        let (work, files) = place();
        let then = scripts(&files, line);
        work.write("ignored", "two\n");
        assert!(scripts(&files, line).are_surely(&then), "{line}: nothing of it changed");
        for name in *names {
            let before = std::fs::read_to_string(work.join(name)).unwrap();
            // As long as it was, and as old: only what is in it tells.
            let other: String = before.chars().map(|c| if c == 'e' { 'x' } else { c }).collect();
            work.write(name, &other);
            let now = scripts(&files, line);
            assert!(!now.are_surely(&then) && now.changed_from(&then).contains(&(*name).to_owned()), "{line}: {name}");
            work.write(name, &before);
            assert!(scripts(&files, line).are_surely(&then), "{line}: it is what it was");
            std::fs::remove_file(work.join(name)).unwrap();
            assert!(!scripts(&files, line).are_surely(&then), "{line}: {name} is gone");
            work.write(name, &before);
        }
    }
}

#[test]
fn what_takes_the_place_of_a_script_is_another_one() {
    let (work, files) = place();
    let then = scripts(&files, "make x");
    work.write("GNUmakefile", "one\n");
    assert_eq!(scripts(&files, "make x").changed_from(&then), ["GNUmakefile", "Makefile"]);
    let then = scripts(&files, "python3 -m json.tool");
    work.write("json/tool.py", "one\n");
    assert_eq!(scripts(&files, "python3 -m json.tool").changed_from(&then), ["json/tool.py"]);
    let then = scripts(&files, "bash s.sh");
    std::fs::remove_file(work.join("s.sh")).unwrap();
    std::os::unix::fs::symlink("data", work.join("s.sh")).unwrap();
    assert_eq!(scripts(&files, "bash s.sh").changed_from(&then), ["data", "s.sh"]);
}

#[test]
fn what_cannot_be_compared_is_never_surely_the_same() {
    let (work, files) = place();
    // Temporary folders of a box are not those that are seen from here.
    let own = |walled| {
        Scripts::run_by(&files, &[analyse("bash /tmp/reasonix-no-such-script.sh")], walled, std::iter::empty())
    };
    assert!(own(false).are_surely(&own(false)) && !own(true).are_surely(&own(true)));
    assert!(own(true) == own(true), "a question about it stands");
    let elsewhere = scripts(&files, "cd \"$X\" && bash s.sh");
    assert!(!elsewhere.are_surely(&elsewhere) && elsewhere.changed_from(&elsewhere) == ["s.sh"]);
    let long = std::fs::File::create(work.join("long.sh")).unwrap();
    long.set_len((64 << 20) + 1).unwrap();
    let long = scripts(&files, "bash long.sh");
    assert!(!long.are_surely(&long));
}
