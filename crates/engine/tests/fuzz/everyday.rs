//! Lines that people and models run all day and that only read.

#[rustfmt::skip]
pub(crate) const EVERYDAY: &[&str] = &[
    "ls", "ls -la", "ls -la src", "ls -1 src/*.rs", "ls -lhS | head -5", "ls -R src", "ls -d */", "ls *.txt", "ls -- *",
    "pwd", "pwd && ls", "cd src && ls", "cd src && cat main.rs | head -20", "cd src; pwd", "echo hello", "echo \"hello world\"", "echo 'a  b' | wc -c",
    "echo $HOME", "echo \"$PWD\"", "echo $((1 + 2))", "echo ${x:-default}", "printf '%s\\n' a b c", "printf '%d\\n' 42 | tr 0-9 a-j",
    "cat a.txt", "cat a.txt b.txt", "cat -n src/main.rs", "cat < a.txt", "cat a.txt | sort | uniq -c | sort -rn", "cat <<E\ntext\nE", "cat <<'E'\n$x\nE",
    "cat <<E | tr a-z A-Z\nhello $x\nE", "tr a-z A-Z <<< hello", "cat src/*.rs | wc -l", "head -20 a.txt", "head -n 5 a.txt src/lib.rs", "tail -3 a.txt", "tail -n +2 b.txt",
    "wc -l a.txt", "wc -l src/*.rs", "wc -c < a.txt", "grep -rn fn src", "grep -n alpha a.txt", "grep -rn --include='*.rs' 'fn main' .", "grep -c . a.txt b.txt",
    "grep -E '^(a|b)' a.txt || true", "grep -rl beta . 2>/dev/null", "grep -v '^#' a.txt | grep .", "grep -A2 -B2 alpha a.txt", "grep -o '[a-z]*' a.txt | head -3",
    "find . -name '*.rs'", "find . -type f -name '*.txt' | sort", "find src -maxdepth 1 -type f", "find . -newer a.txt -type f", "find . -name x -o -name y", "find . -size +1k -print",
    "find . -path ./.git -prune -o -type f -print", "find . -type f | wc -l", "find . -name '*.md' -print0 | xargs -0 wc -l", "find . -name '*.txt' | xargs grep -l alpha",
    "sort a.txt", "sort -u a.txt b.txt", "sort -k2 -n a.txt", "sort -t: -k1 a.txt | uniq", "sort a.txt | uniq -d", "uniq a.txt", "uniq -c a.txt | sort -rn | head -1",
    "cut -d: -f1 a.txt", "cut -c1-3 a.txt", "tr -d '\\n' < a.txt", "tr a-z A-Z < a.txt", "rev a.txt", "tac a.txt", "nl a.txt", "fold -w 20 a.txt", "paste a.txt b.txt", "comm -12 a.txt b.txt",
    "diff a.txt b.txt", "diff -u a.txt b.txt | head", "diff -r src docs", "diff <(sort a.txt) <(sort b.txt)", "cmp a.txt b.txt", "stat a.txt", "stat -c '%s %n' a.txt", "file a.txt evil.sh", "du -sh .", "du -a src | sort -n",
    "df -h .", "basename src/main.rs .rs", "dirname src/deep/c.txt", "realpath a.txt", "readlink -f src", "md5sum a.txt", "sha256sum a.txt | cut -d' ' -f1", "cksum a.txt", "od -c a.txt | head", "hexdump -C a.txt", "xxd a.txt | head -2", "strings a.txt",
    "base64 a.txt", "echo aGk= | base64 -d", "seq 1 10", "seq 10 | paste -sd+", "expr 1 + 2", "factor 42", "date", "date +%Y-%m-%d", "uname -a", "whoami", "id -u", "hostname", "nproc", "uptime", "free -m", "ps aux | head -5", "which bash", "type ls", "command -v git", "env", "printenv PATH", "locale",
    "sed -n 1,5p a.txt", "sed 's/alpha/omega/' a.txt", "sed -n '/alpha/p' a.txt", "sed -e 's/a/b/g' -e 1d a.txt", "sed '1d;$d' a.txt", "sed 's|a|b|;s/c/d/2' a.txt", "sed -E 's/(a)(l)/\\2\\1/' a.txt", "sed '/alpha/,/beta/d' a.txt", "sed = a.txt",
    "awk '{print $1}' a.txt", "awk 'NR==1' a.txt", "awk -F: '{print $1}' a.txt", "awk '/alpha/' a.txt", "awk 'END{print NR}' a.txt", "awk '{n+=$1} END{print n}' a.txt", "jq . data.json", "jq -r '.a' data.json", "yq .a a.yml",
    "git status", "git status --short", "git status -sb", "git log --oneline -5", "git log -p -1", "git log --stat", "git log --format='%h %s' | head", "git diff", "git diff --stat", "git diff HEAD -- a.txt", "git diff --cached", "git show", "git show HEAD:a.txt", "git show --stat HEAD",
    "git branch", "git branch -a", "git branch --show-current", "git tag", "git remote -v", "git rev-parse HEAD", "git rev-parse --show-toplevel", "git ls-files", "git ls-files | wc -l", "git blame a.txt", "git grep -n alpha", "git stash list", "git describe --always", "git shortlog -sn HEAD", "git config --get user.name", "git reflog", "git --no-pager log -1", "git -C src log -1", "git ls-tree HEAD", "git cat-file -p HEAD",
    "test -f a.txt && echo yes", "[ -d src ] && ls src", "[[ -f a.txt ]] && cat a.txt", "if [ -f a.txt ]; then cat a.txt; fi", "for f in *.txt; do echo \"$f\"; done", "for i in 1 2 3; do echo $i; done", "while read l; do echo \"$l\"; done < a.txt", "case x in x) echo 1;; *) echo 2;; esac",
    "(cd src && ls)", "{ echo a; echo b; } | sort", "ls | while read f; do wc -l \"$f\"; done", "x=1; echo $x", "n=$(wc -l < a.txt); echo $n", "echo $(ls | wc -l)", "echo `pwd`", "cat $(git ls-files | head -1)", "ls missing 2>&1 | head -1", "ls >/dev/null 2>&1 && echo ok",
    "cargo --version", "python3 --version", "node --version", "make --version | head -1", "timeout 5 ls", "nice ls", "bash -c 'ls -la'", "sh -c 'cat a.txt | wc -l'", "time ls", "xargs -n1 echo < a.txt", "ls | xargs -I{} echo {}", "true", "false || true", "! false", "sleep 0.01", "exit 0",
];
