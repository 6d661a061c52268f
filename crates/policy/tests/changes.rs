//! What a rule that forbids changes to a path finds in commands.

use reasonix_policy::{Rule, analyse};

/// True when the rule speaks of a change that the line may make, seen from the folder it starts in.
fn touches(rule: &str, line: &str) -> bool {
    let (rule, effects) = (Rule::parse(rule).unwrap(), analyse(line));
    effects.changes().iter().any(|change| {
        change.places.dirs.iter().any(|dir| {
            let path = if dir.is_empty() || change.path.starts_with('/') {
                change.path.to_string()
            } else {
                format!("{dir}/{}", change.path)
            };
            rule.speaks_of_change(&path, change.whole)
        })
    })
}

#[test]
fn what_changes_a_path_is_found() {
    #[rustfmt::skip]
    let lines = [
        "rm docs/a", "rm -rf docs", "unlink docs/a", "mv docs/a c", "mv c docs/a", "chmod 000 docs/a", "find docs -delete", "perl -pi -e s/a/b/ docs/a", "gzip docs/a", "split b docs/x", "mkdir docs/new", "python3 -c \"open('docs/a','w')\"", "rmdir docs/sub", "mv docs d2", "ln -s x docs/a", "ln docs/a x", "chown me docs/a",
        "chmod -R 700 docs", "touch docs/a", "truncate -s 0 docs/a", "xz docs/a", "bzip2 docs/a", "zstd --rm docs/a", "patch docs/a x.diff", "patch -d docs x", "find docs -exec touch {} +", "find docs -name x -delete", "git rm docs/a", "git mv docs/a b", "git checkout docs/a", "git checkout -- docs", "git restore docs/a", "git restore docs",
        "rsync -a src/ docs/", "install a docs/a", "tar -C docs -xf a.tar", "tar xf a.tar -C docs", "tar --directory=docs -xf a", "tar -cf docs/a.tar x", "unzip -d docs a.zip", "echo x > docs/a", "echo x >> docs/a", "sed -i s/a/b/ docs/a", "cp a docs/a", "tee docs/a", "dd of=docs/a", "sort -o docs/a b", "curl -o docs/a h", "wget -P docs h",
        "cd docs && rm a", "cd docs; touch a", "rm ./docs/a", "rm docs//a", "rm docs/../docs/a", "rm src/../docs/a", "rm docs/*", "rm -rf docs/*.md", "rm -rf .", "git checkout .", "find . -delete", "find -delete", "rm -rf ./", "sudo rm docs/a", "timeout 5 rm docs/a", "bash -c 'rm docs/a'", "xargs rm docs/a", "setarch x86_64 rm docs/a", "for i in 1; do rm docs/a; done",
        "node -e \"fs.writeFileSync('docs/a','')\"", "ruby -e \"File.write('docs/a','')\"", "vim docs/a", "./script.sh docs/a", "prettier --write docs", "black docs", "setfacl -m u:x:r docs/a", "shred docs/a", "mkfifo docs/p", "mktemp docs/x.XXXX", "scp h:a docs/a", "git clone x docs/a", "npx x docs/a", "rename a b docs/a", "cargo new docs/a", "7z x a -odocs",
        "cat a | tee docs/a", "awk '{print > \"docs/a\"}' b", "sed 'w docs/a' b", "mv a b docs/", "cp -r src docs/", "rm a docs/a", "rm -- docs/a",
    ];
    let missed: Vec<&&str> = lines.iter().filter(|line| !touches("Edit(docs/**)", line)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
    for (rule, line) in [
        ("Edit(a/b/c.md)", "rm -rf a"),
        ("Edit(a/b/c.md)", "mv a/b x"),
        ("Edit(docs)", "rm docs/a"),
        ("Edit(*.md)", "rm docs/a.md"),
        ("Edit(/abs/x)", "rm -rf /abs"),
        ("Read(secrets/**)", "rm secrets/a"),
    ] {
        assert!(touches(rule, line), "{rule} {line}");
    }
}

#[test]
fn what_only_reads_a_path_is_not() {
    for line in [
        "cat docs/a",
        "ls docs",
        "grep -rn x docs",
        "wc -l docs/a",
        "git log docs/a",
        "git diff docs",
        "find docs -name x",
        "sed -n 1p docs/a",
        "head docs/a | sort",
        "cp docs.txt x",
        "rm a",
        "rm -rf build",
        "mv src/docs x",
        "touch docsx",
        "rm docs2/a",
        "find src -delete",
        "git checkout main",
        "tar -xf a.tar",
    ] {
        assert!(!touches("Edit(docs/**)", line), "{line}");
    }
    assert!(
        !touches("Edit(a/b/c.md)", "rm a/x")
            && !touches("Edit(a/b/c.md)", "touch a")
            && !touches("Edit(a/b)", "rm -rf c")
    );
    assert!(!touches("Bash(rm:*)", "rm docs/a"), "a rule for commands is no rule for paths");
}
