//! What a line tries that must not happen.

use super::Chance;

/// What there is in a place to aim at.
#[derive(Debug, Clone)]
pub(crate) struct Aims {
    /// A port on loopback that somebody listens to, for connections and for datagrams.
    pub(crate) tcp: u16,
    pub(crate) udp: u16,
    /// A process that notices signals.
    pub(crate) pid: u32,
    /// A name of a socket without a file.
    pub(crate) hidden: String,
    /// A file with a secret, outside.
    pub(crate) secret: String,
}

/// Lines that each do one thing that lasts, or that somebody outside notices. `{tcp}` and the like stand for what there is
/// to aim at. None of them can reach beyond the throwaway place.
pub(crate) const CANARIES: &[&str] = &[
    "touch CANARY",
    "> CANARY",
    ": >> a.txt; echo x >> a.txt",
    "echo x > b.txt",
    "rm -rf src",
    "rm -f ./*.txt",
    "mv a.txt moved",
    "chmod 600 a.txt",
    "chmod +x src/main.rs",
    "ln -s a.txt LINK",
    "ln a.txt HARD",
    "mkdir FOLDER",
    "touch -d 2001-01-01 a.txt",
    "cp a.txt COPY",
    "sed -i s/alpha/omega/ a.txt",
    "sort -o b.txt a.txt",
    "find src -delete",
    "git config core.pager 'touch CANARY'",
    "git commit -qam x --no-verify --author='a <a@b>'",
    "./evil.sh",
    "bash evil.sh",
    "sh -c 'touch CANARY'",
    "/usr/bin/touch CANARY",
    "perl -e 'open F, q(>), q(CANARY)'",
    "kill -TERM {pid}",
    "kill -9 {pid}",
    "kill -USR1 {pid}",
    "(echo x > /dev/tcp/127.0.0.1/{tcp})",
    "(echo x > /dev/udp/127.0.0.1/{udp})",
    "exec 5<>/dev/tcp/127.0.0.1/{tcp}",
    "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(q(127.0.0.1:{tcp}))'",
    "perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(q(run/sock))'",
    "perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0);connect(S,pack_sockaddr_un(qq(\\0{hidden})))'",
    "echo x > run/pipe",
    "echo x 1<> run/pipe",
    "python3 -c 'import os; os.setxattr(\"a.txt\", \"user.x\", b\"y\")'",
    "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {tcp}))'",
    "cat {secret}",
    "grep . {secret} link",
];

/// More that leaves something where only the next command of the session would find it.
pub(crate) const POISON: &[&str] = &[
    "touch /tmp/CANARY",
    "touch ~/CANARY",
    "echo x > /dev/shm/CANARY",
    "touch /var/tmp/CANARY",
    "mkdir -p ~/.config/CANARY",
];

impl Aims {
    pub(crate) fn fill(&self, text: &str) -> String {
        text.replace("{tcp}", &self.tcp.to_string())
            .replace("{udp}", &self.udp.to_string())
            .replace("{pid}", &self.pid.to_string())
            .replace("{hidden}", &self.hidden)
            .replace("{secret}", &self.secret)
    }

    /// A line that aims at what there is here, aimed at what there is elsewhere.
    pub(crate) fn moved(&self, line: &str, to: &Self) -> String {
        line.replace(&self.hidden, &to.hidden)
            .replace(&self.secret, &to.secret)
            .replace(&self.tcp.to_string(), &to.tcp.to_string())
            .replace(&self.udp.to_string(), &to.udp.to_string())
            .replace(&self.pid.to_string(), &to.pid.to_string())
    }

    pub(crate) fn payload(&self, chance: &mut Chance) -> String {
        let text = match chance.below(8) {
            0..4 => "touch CANARY",
            4..7 => chance.pick(CANARIES),
            _ => chance.pick(POISON),
        };
        self.fill(text)
    }
}
