//! The table of the dangerous class: programs, subcommands and options, as data.

use super::kind::DangerKind;

/// A row of the table: it fits when a program, a subcommand and one of the options fit.
pub(super) struct Row {
    pub(super) programs: &'static [&'static str],
    /// Subcommands; empty for any.
    pub(super) subs: &'static [&'static str],
    /// Options, one of which makes it dangerous; empty for always.
    pub(super) flags: &'static [&'static str],
    /// Options that make it harmless.
    pub(super) unless: &'static [&'static str],
    /// What is dangerous about it.
    pub(super) kind: DangerKind,
    /// For the model.
    pub(super) advice: &'static str,
}

const fn row(
    programs: &'static [&'static str],
    subs: &'static [&'static str],
    flags: &'static [&'static str],
    unless: &'static [&'static str],
    kind: DangerKind,
    advice: &'static str,
) -> Row {
    Row { programs, subs, flags, unless, kind, advice }
}

pub(super) const HELP: &[&str] = &["--help", "--version"];
const DRY: &[&str] = &["-n", "--dry-run", "--help"];
/// For programs where `-n` means something else.
const LONG_DRY: &[&str] = &["--dry-run", "--help"];
pub(super) const DELETES: &str = "it deletes files; leave them, or tell the user what to delete";
pub(super) const DISCARDS: &str = "it throws away changes; keep them (git stash, a commit) or ask the user";
const REWRITES: &str = "it rewrites history that others may have; push without force or ask the user";
const PUBLISHES: &str = "it publishes; only a person may do that";
const MACHINE: &str = "it changes the machine; only a person may do that";
const RIGHTS: &str =
    "it changes rights or owners; git update-index --chmod=+x sets the executable bit of a tracked file";
pub(super) const REMOTE: &str = "it destroys resources outside of this workspace; only a person may do that";

/// What changes a cluster, beside what takes something away; behind a word that only asks it is a name.
#[rustfmt::skip]
pub(super) const KUBE: &[&str] = &[
    "create", "run", "expose", "autoscale", "label", "annotate", "uncordon", "set image", "set env", "set resources", "set selector", "rollout pause", "rollout resume", "certificate approve", "certificate deny",
];

/// Words by which a cluster is only asked.
pub(super) const KUBE_ASKS: &[&str] =
    &["api-resources", "auth", "config", "describe", "diff", "exec", "explain", "get", "logs", "top", "wait"];

#[rustfmt::skip]
pub(super) const TABLE: &[Row] = &[
    row(&["rm", "unlink", "trash", "srm", "rimraf"], &[], &[], HELP, DangerKind::Delete, DELETES),
    row(&["shred", "truncate", "wipe", "scrub", "sfill", "sdmem", "bleachbit"], &[], &[], HELP, DangerKind::Erase, DELETES),
    row(&["find"], &[], &["-delete"], &[], DangerKind::Delete, DELETES),
    row(&["rsync"], &[], &["--delete", "--delete-before", "--delete-after", "--delete-during", "--delete-excluded", "--del", "--remove-source-files"], DRY, DangerKind::Delete, DELETES),
    row(&["mv"], &[], &[], HELP, DangerKind::Move, "it moves files that were there before; use move_file, or leave them"),
    row(&["chmod", "chown", "chgrp", "setfacl", "chattr"], &[], &[], HELP, DangerKind::Rights, RIGHTS),
    row(&["dd"], &[], &[], HELP, DangerKind::Raw, "it writes raw data; use another tool"),
    row(&["rename", "mmv", "prename", "perl-rename"], &[], &[], DRY, DangerKind::Move, "it moves files that were there before; use move_file, or leave them"),
    row(&["mkfs", "mke2fs", "mkswap", "mkdosfs", "newfs", "cfdisk", "cgdisk", "gparted", "blkdiscard", "sgdisk", "gdisk", "resize2fs", "tune2fs", "xfs_repair", "fsck", "e2fsck", "debugfs", "pvremove", "vgremove", "lvremove", "lvreduce", "mdadm", "dmsetup", "growpart"], &[], &[], HELP, DangerKind::Disk, MACHINE),
    row(&["fdisk", "sfdisk", "parted", "wipefs", "hdparm", "partx"], &[], &[], &["-l", "--list", "--help", "--version"], DangerKind::Disk, MACHINE),
    row(&["badblocks"], &[], &["-w", "-n"], &[], DangerKind::Disk, MACHINE),
    row(&["cryptsetup"], &["luksFormat", "erase", "luksErase", "luksKillSlot", "luksRemoveKey", "reencrypt", "format"], &[], &[], DangerKind::Disk, MACHINE),
    row(&["zpool", "zfs"], &["destroy", "rollback", "labelclear", "create"], &[], &[], DangerKind::Disk, MACHINE),
    row(&["btrfs"], &["subvolume delete", "device remove", "device delete", "balance start"], &[], &[], DangerKind::Disk, MACHINE),
    row(&["nvme"], &["format", "sanitize", "delete-ns", "write-zeroes"], &[], &[], DangerKind::Disk, MACHINE),
    row(&["diskutil"], &["erase*", "partitionDisk", "zeroDisk", "randomDisk", "apfs", "reformat"], &[], &[], DangerKind::Disk, MACHINE),
    row(&["shutdown", "reboot", "halt", "poweroff", "telinit", "init", "kexec"], &[], &[], HELP, DangerKind::Power, MACHINE),
    row(&["systemctl", "loginctl"], &["poweroff", "reboot", "halt", "suspend", "hibernate", "kexec", "rescue", "emergency", "isolate"], &[], &[], DangerKind::Power, MACHINE),
    row(&["systemctl"], &["stop", "disable", "mask", "kill", "start", "restart", "try-restart", "reload", "enable", "reenable", "link", "edit", "revert", "set-default", "set-property", "set-environment", "daemon-reexec", "clean"], &[], &[], DangerKind::Machine, MACHINE),
    row(&["mount", "umount", "swapoff", "iptables", "nft", "ufw", "modprobe", "insmod", "rmmod", "userdel", "usermod", "useradd", "groupdel", "groupadd", "groupmod", "gpasswd", "adduser", "deluser", "addgroup", "delgroup", "chpasswd", "chsh", "chfn", "vipw", "vigr", "passwd", "visudo", "losetup", "ip6tables", "firewall-cmd", "update-grub", "grub-install", "efibootmgr", "setenforce", "update-initramfs", "hwclock"], &[], &[], HELP, DangerKind::Machine, MACHINE),
    row(&["sysctl"], &[], &["-w", "--write", "-p", "--load", "--system"], &[], DangerKind::Machine, MACHINE),
    row(&["service", "rc-service", "invoke-rc.d", "initctl", "sv", "s6-svc"], &["* stop", "* start", "* restart", "* reload", "stop", "start", "restart", "down", "* down"], &[], &[], DangerKind::Machine, MACHINE),
    row(&["launchctl"], &["unload", "load", "bootout", "bootstrap", "remove", "kill", "kickstart", "disable", "enable", "stop"], &[], &[], DangerKind::Machine, MACHINE),
    row(&["apt", "apt-get", "aptitude", "dnf", "yum", "zypper", "snap", "flatpak", "pkg", "apk"], &["remove", "purge", "autoremove", "erase", "uninstall", "del", "rm", "dist-upgrade", "full-upgrade", "downgrade"], &[], &["-s", "--simulate", "--dry-run", "--help"], DangerKind::Machine, MACHINE),
    row(&["dpkg"], &[], &["-r", "-P", "--purge", "--remove"], &["--simulate", "--dry-run"], DangerKind::Machine, MACHINE),
    row(&["rpm"], &[], &["-e", "--erase"], &["--test"], DangerKind::Machine, MACHINE),
    row(&["pacman"], &[], &["-R", "--remove"], &["--print"], DangerKind::Machine, MACHINE),
    row(&["sudo"], &[], &[], &["--help", "--version", "-l", "-V"], DangerKind::Root, "it runs as another user; only a person may do that"),
    row(&["doas", "su", "pkexec", "runuser"], &[], &[], HELP, DangerKind::Root, "it runs as another user; only a person may do that"),
    row(&["crontab"], &[], &["-r"], &[], DangerKind::Machine, MACHINE),
    row(&["killall", "pkill"], &[], &[], HELP, DangerKind::Kill, "it ends processes by name, others' too; end your own by their number with kill"),
    row(&["atrm"], &[], &[], HELP, DangerKind::Machine, MACHINE),
    row(&["git"], &["reset"], &["--hard", "--merge", "--keep"], &[], DangerKind::Discard, DISCARDS),
    row(&["git"], &["clean"], &[], DRY, DangerKind::Clean, "it deletes files that git does not know; ask the user"),
    row(&["git"], &["checkout", "switch"], &["-f", "--force", "--discard-changes"], &[], DangerKind::Discard, DISCARDS),
    row(&["git"], &["checkout", "switch"], &["-B", "-C", "--force-create"], &[], DangerKind::Branch, "it may overwrite a branch; use a new name, or ask the user"),
    row(&["git"], &["read-tree"], &["--reset", "-u"], &[], DangerKind::Discard, DISCARDS),
    row(&["git"], &["checkout-index"], &["-f", "--force"], &[], DangerKind::Discard, DISCARDS),
    row(&["git"], &["restore"], &["-W", "--worktree"], &["--help"], DangerKind::Discard, DISCARDS),
    row(&["git"], &["restore"], &[], &["--help", "--staged", "-S"], DangerKind::Discard, DISCARDS),
    row(&["git"], &["rm"], &[], &["--cached", "-n", "--dry-run"], DangerKind::Delete, DELETES),
    row(&["git"], &["push"], &["-f", "--force", "--force-with-lease", "--force-if-includes", "-d", "--delete", "--mirror", "--prune"], &["-n", "--dry-run"], DangerKind::Force, REWRITES),
    row(&["git"], &["branch"], &["-D", "-d", "--delete", "-f", "--force", "-M"], &[], DangerKind::Branch, "it deletes or overwrites a branch; ask the user"),
    row(&["git"], &["tag"], &["-d", "--delete", "-f", "--force"], &[], DangerKind::Branch, "it deletes or overwrites a tag; ask the user"),
    row(&["git"], &["stash drop", "stash clear", "reflog expire", "reflog delete", "filter-branch", "filter-repo", "worktree remove", "worktree prune", "submodule deinit", "prune", "remote remove", "remote rm", "lfs prune", "notes remove", "notes prune"], &[], LONG_DRY, DangerKind::Discard, DISCARDS),
    row(&["git"], &["mv"], &["-f", "--force"], &["-n", "--dry-run"], DangerKind::Move, "it moves one file over another; leave the other, or ask the user"),
    row(&["git"], &["sparse-checkout"], &["--force-sparse"], &[], DangerKind::Discard, DISCARDS),
    row(&["git"], &["symbolic-ref"], &["-d", "--delete"], &[], DangerKind::Branch, "it deletes a ref; ask the user"),
    row(&["git"], &["update-ref"], &["-d", "--delete", "--stdin"], &[], DangerKind::Branch, "it deletes a ref; ask the user"),
    row(&["git"], &["update-ref"], &[], &[], DangerKind::Branch, "it moves a ref, whatever it was; ask the user"),
    row(&["git"], &["fetch"], &["-u", "--update-head-ok"], &["--dry-run"], DangerKind::Branch, "it overwrites a branch; fetch without force, or ask the user"),
    row(&["hg"], &["revert"], &[], DRY, DangerKind::Discard, DISCARDS),
    row(&["svn"], &["revert"], &[], &["--help"], DangerKind::Discard, DISCARDS),
    row(&["jj"], &["abandon"], &[], &["--help"], DangerKind::Discard, DISCARDS),
    row(&["crontab"], &[], &[], &["-l", "-V", "--help"], DangerKind::Machine, MACHINE),
    row(&["deno"], &["publish"], &[], LONG_DRY, DangerKind::Publish, PUBLISHES),
    row(&["rake"], &["release", "release:*"], &[], DRY, DangerKind::Publish, PUBLISHES),
    row(&["manage.py", "django-admin"], &["flush", "reset_db"], &[], &["--help"], DangerKind::Remote, REMOTE),
    row(&["git"], &["gc", "repack"], &["--prune", "--cruft-expiration", "--unpack-unreachable"], &[], DangerKind::Discard, DISCARDS),
    row(&["npm", "pnpm", "yarn", "bun"], &["publish", "unpublish", "deprecate", "npm publish", "dist-tag add", "dist-tag rm", "owner add", "owner rm", "access set", "access grant", "access revoke", "team destroy", "token revoke"], &[], LONG_DRY, DangerKind::Publish, PUBLISHES),
    row(&["cargo"], &["publish", "yank", "owner"], &[], DRY, DangerKind::Publish, PUBLISHES),
    row(&["cargo"], &["release"], &["-x", "--execute"], &[], DangerKind::Publish, PUBLISHES),
    row(&["twine"], &["upload", "register"], &[], LONG_DRY, DangerKind::Publish, PUBLISHES),
    row(&["uv", "poetry", "flit", "hatch", "pdm", "rye", "pixi", "maturin"], &["publish", "upload"], &[], LONG_DRY, DangerKind::Publish, PUBLISHES),
    row(&["gem"], &["push", "yank", "owner"], &[], LONG_DRY, DangerKind::Publish, PUBLISHES),
    row(&["mvn", "mvnw"], &["deploy", "* deploy", "* * deploy", "deploy:deploy-file", "release:perform", "release:prepare", "site-deploy", "deploy:deploy"], &[], &[], DangerKind::Publish, PUBLISHES),
    row(&["gradle", "gradlew"], &["publish", "* publish", "* * publish", "publishPlugins", "publishToSonatype", "publishAllPublicationsTo*", "publishMaven*", "uploadArchives", "bintrayUpload", "closeAndReleaseRepository", "artifactoryPublish", "jib"], &[], &["--dry-run", "-m"], DangerKind::Publish, PUBLISHES),
    row(&["dotnet"], &["nuget push", "nuget delete"], &[], &[], DangerKind::Publish, PUBLISHES),
    row(&["nuget"], &["push", "delete"], &[], &[], DangerKind::Publish, PUBLISHES),
    row(&["docker", "podman", "nerdctl", "buildah"], &["push", "image push", "compose push", "manifest push", "trust sign"], &[], LONG_DRY, DangerKind::Publish, PUBLISHES),
    row(&["docker", "podman"], &["build", "buildx build", "buildx bake", "compose build"], &["--push"], &[], DangerKind::Publish, PUBLISHES),
    row(&["helm", "oras", "crane", "ko", "regctl"], &["push", "publish", "apply", "delete", "copy"], &[], LONG_DRY, DangerKind::Publish, PUBLISHES),
    row(&["skopeo"], &["copy", "delete", "sync"], &[], LONG_DRY, DangerKind::Publish, PUBLISHES),
    row(&["gh", "glab", "hub"], &["release create", "release delete", "release edit", "release upload", "repo create", "repo delete", "repo archive", "repo edit", "repo rename", "pr merge", "pr close", "issue delete", "issue close", "secret set", "secret delete", "variable set", "variable delete", "gist create", "gist delete", "workflow run", "workflow disable", "run cancel", "run delete", "run rerun", "cache delete", "ssh-key add", "ssh-key delete", "gpg-key add", "label delete", "mr merge", "mr close", "auth logout", "codespace delete", "ruleset delete", "deploy-key add"], &[], LONG_DRY, DangerKind::Publish, PUBLISHES),
    row(&["vsce", "ovsx"], &["publish", "unpublish", "delete-publisher"], &[], LONG_DRY, DangerKind::Publish, PUBLISHES),
    row(&["wrangler", "firebase", "serverless", "sls", "netlify", "vercel", "now", "fly", "flyctl", "railway", "render", "surge", "amplify", "eb", "copilot", "sst", "cdk", "cdktf", "sam", "gatsby", "expo", "eas", "fastlane", "cap", "kamal", "dokku", "caprover", "appcenter", "shopify", "supabase", "zappa", "chalice", "arc", "skaffold", "garden", "waypoint", "func"], &["deploy", "deploy:*", "deploy *", "publish", "destroy", "delete", "remove", "rollback", "up", "launch", "submit", "update", "promote", "alias", "rm", "apps destroy", "apps delete", "secret put", "secrets set", "functions deploy", "db reset", "projects delete", "release", "pages deploy", "kv key delete", "d1 delete", "r2 object delete", "production deploy", "setup", "undeploy"], &[], &["--dry-run", "--help", "--dryrun"], DangerKind::Publish, PUBLISHES),
    row(&["vercel", "now"], &[], &["--prod", "--production"], &[], DangerKind::Publish, PUBLISHES),
    row(&["surge", "np", "semantic-release", "gh-pages"], &[], &[], &["--help", "--version", "--dry-run", "-d", "--preview"], DangerKind::Publish, PUBLISHES),
    row(&["gh-pages"], &[], &["-d", "--dist"], &[], DangerKind::Publish, PUBLISHES),
    row(&["lerna", "changeset", "nx"], &["publish", "release publish"], &[], LONG_DRY, DangerKind::Publish, PUBLISHES),
    row(&["goreleaser"], &["release", "publish", "announce"], &[], &["--snapshot", "--help"], DangerKind::Publish, PUBLISHES),
    row(&["mix"], &["hex.publish", "hex.retire"], &[], LONG_DRY, DangerKind::Publish, PUBLISHES),
    row(&["cabal", "stack", "luarocks", "nimble", "opam", "anaconda", "elm", "pod", "snapcraft", "charmcraft", "conan", "spack", "dub", "swift"], &["upload", "publish", "push", "trunk push", "trunk delete", "package-registry publish"], &[], LONG_DRY, DangerKind::Publish, PUBLISHES),
    row(&["dart", "flutter"], &["pub publish", "pub uploader"], &[], DRY, DangerKind::Publish, PUBLISHES),
    row(&["jf", "jfrog"], &["rt u", "rt upload", "rt del", "rt delete", "rt dp"], &[], LONG_DRY, DangerKind::Publish, PUBLISHES),
    row(&["docker", "podman", "nerdctl"], &["rm", "rmi", "kill", "stop", "prune", "system prune", "volume rm", "volume prune", "image rm", "image prune", "container rm", "container prune", "container kill", "network rm", "network prune", "builder prune", "buildx prune", "buildx rm", "system reset", "stack rm", "service rm", "secret rm", "config rm", "swarm leave", "swarm init", "node rm", "context rm", "plugin rm"], &[], &["--help"], DangerKind::Remote, REMOTE),
    row(&["docker", "docker-compose", "podman"], &["down", "compose down", "compose rm", "rm"], &["-v", "--volumes", "--rmi", "-f", "--force", "-s", "--stop"], &["--dry-run", "--help"], DangerKind::Remote, REMOTE),
    row(&["kubectl", "oc", "helm", "k9s", "kustomize", "argocd", "flux", "istioctl", "eksctl", "kops", "kind", "minikube", "k3d", "helmfile"], &["delete", "delete-project", "uninstall", "drain", "replace", "apply", "patch", "scale", "rollout restart", "rollout undo", "cordon", "taint", "edit", "install", "upgrade", "rollback", "app delete", "app sync", "delete cluster", "sync", "destroy"], &[], &["--dry-run", "--help"], DangerKind::Remote, REMOTE),
    row(&["kubectl", "oc"], KUBE, &[], &["--dry-run", "--help"], DangerKind::Remote, REMOTE),
    row(&["supervisorctl"], &["stop", "restart", "shutdown", "remove", "start", "reload"], &[], &[], DangerKind::Machine, MACHINE),
    row(&["ip"], &["* del*", "* flush*", "* add", "* set", "* replace", "* change"], &[], &[], DangerKind::Machine, MACHINE),
    row(&["terraform", "tofu", "terragrunt", "pulumi", "cdktf"], &["destroy", "apply", "up", "import", "taint", "state rm", "state mv", "state push", "state replace-provider", "workspace delete", "force-unlock", "run-all apply", "run-all destroy", "stack rm", "cancel", "refresh"], &[], &["-help", "--help"], DangerKind::Remote, REMOTE),
    row(&["aws"], &["s3 rm", "s3 rb", "s3 mv", "* delete*", "* terminate*", "* remove*", "* deregister*", "* purge*", "* stop*", "* reboot*", "* detach*", "* revoke*", "* put*", "* update*", "* create*", "* modify*", "* run-instances", "cloudformation deploy", "* cancel*", "* disable*", "* reset*", "* schedule-key-deletion"], &[], &["--dry-run", "--dryrun", "help", "--help"], DangerKind::Remote, REMOTE),
    row(&["aws"], &["s3 sync"], &["--delete"], &["--dryrun"], DangerKind::Remote, REMOTE),
    row(&["gcloud", "az", "doctl", "hcloud", "linode-cli", "ibmcloud", "oci", "scw", "exo", "civo", "vultr-cli", "heroku", "cf", "openstack", "govc", "aliyun", "tccli", "yc"], &["delete*", "* delete*", "* * delete*", "* * * delete*", "destroy*", "* destroy*", "* * destroy*", "remove*", "* remove*", "* * remove*", "purge*", "* purge*", "* * purge*", "app deploy", "* app deploy", "functions deploy", "run deploy", "apps:destroy", "pg:reset", "addons:destroy", "pipelines:destroy", "ps:stop", "config:unset", "* * stop", "* stop", "* * reset", "* * deallocate", "group delete", "rm"], &[], &["--dry-run", "--help"], DangerKind::Remote, REMOTE),
    row(&["gsutil"], &["rm", "* rm", "rb", "* rb", "mv", "* mv"], &[], &[], DangerKind::Remote, REMOTE),
    row(&["gsutil"], &["rsync", "* rsync"], &["-d"], &["-n"], DangerKind::Remote, REMOTE),
    row(&["bq"], &["rm", "* rm"], &[], &[], DangerKind::Remote, REMOTE),
    row(&["rclone"], &["delete", "purge", "sync", "move", "deletefile", "rmdir", "rmdirs", "cleanup", "dedupe", "moveto", "bisync"], &[], DRY, DangerKind::Remote, REMOTE),
    row(&["mc", "s3cmd", "b2"], &["rm", "rb", "del", "delete-*", "mirror", "sync"], &[], &["--dry-run", "--help"], DangerKind::Remote, REMOTE),
    row(&["dropdb", "dropuser", "pg_resetwal", "vacuumlo"], &[], &[], HELP, DangerKind::Remote, REMOTE),
    row(&["mysqladmin", "mariadb-admin"], &["drop", "shutdown", "flush-privileges", "kill", "password", "* drop", "* * drop"], &[], &[], DangerKind::Remote, REMOTE),
    row(&["redis-cli", "valkey-cli"], &["flushall", "flushdb", "* flushall", "* flushdb", "del", "unlink", "shutdown", "debug", "cluster reset", "config set"], &[], &[], DangerKind::Remote, REMOTE),
    row(&["etcdctl", "consul", "vault", "nomad", "zkCli.sh", "kcat"], &["del", "delete", "kv delete", "kv destroy", "kv metadata", "job stop", "system gc", "deleteall", "secrets disable", "auth disable", "token revoke", "lease revoke", "operator seal"], &[], &[], DangerKind::Remote, REMOTE),
    row(&["kafka-topics", "kafka-topics.sh", "kafka-consumer-groups", "kafka-consumer-groups.sh"], &[], &["--delete", "--reset-offsets"], &["--dry-run"], DangerKind::Remote, REMOTE),
    row(&["rails", "rake", "hanami"], &["db:drop*", "db:reset*", "db:purge*", "db:schema:load", "db:migrate:reset", "db:setup", "db:truncate_all", "db:seed:replant"], &[], &[], DangerKind::Remote, REMOTE),
    row(&["prisma", "sequelize", "typeorm", "knex", "drizzle-kit", "alembic", "flyway", "liquibase", "dbmate", "goose", "migrate", "diesel", "sqlx", "artisan"], &["migrate reset", "db:drop*", "schema:drop", "db drop", "drop", "database drop", "database reset", "drop-all", "dropAll", "db reset", "migrate:fresh", "migrate:reset", "migrate:refresh", "db:wipe", "downgrade base"], &[], LONG_DRY, DangerKind::Remote, REMOTE),
    row(&["mix"], &["ecto.drop", "ecto.reset"], &[], &[], DangerKind::Remote, REMOTE),
    row(&["flyway"], &["clean"], &[], &[], DangerKind::Remote, REMOTE),
    row(&["prisma"], &["db push"], &["--force-reset", "--accept-data-loss"], &[], DangerKind::Remote, REMOTE),
    row(&["vagrant", "multipass", "virsh", "VBoxManage", "lxc", "incus", "qm", "pct"], &["destroy", "delete", "purge", "undefine", "unregistervm", "* delete", "box remove", "snapshot delete", "closemedium"], &[], &[], DangerKind::Remote, REMOTE),
];
