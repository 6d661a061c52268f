//! The places that no wish of a server opens: our own home, and what holds a user's credentials, by whatever way it is named.

use reasonix_proto::HOME_SECRETS;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// The closed places. Where they really lie is looked up once, when somebody first wishes for something.
pub(super) struct Closed {
    named: Vec<PathBuf>,
    real: OnceCell<Vec<PathBuf>>,
}

impl Closed {
    /// Those of these homes: ours, and the user's.
    pub(super) fn new(own: &Path, users: Option<&Path>) -> Self {
        let secrets = users.into_iter().flat_map(|home| HOME_SECRETS.iter().map(|name| home.join(name)));
        Self { named: std::iter::once(own.to_owned()).chain(secrets).collect(), real: OnceCell::new() }
    }

    /// True for a place that lies in one of them.
    pub(super) fn holds(&self, path: &Path) -> bool {
        self.holds_by(path, |path| path.canonicalize().unwrap_or_else(|_| path.to_owned()))
    }

    fn holds_by(&self, path: &Path, real: impl Fn(&Path) -> PathBuf) -> bool {
        let closed = self.real.get_or_init(|| self.named.iter().map(|path| real(path)).collect());
        let path = real(path);
        closed.iter().any(|closed| path.starts_with(closed))
    }
}

#[cfg(test)]
mod tests {
    use super::Closed;
    use reasonix_proto::HOME_SECRETS;
    use std::cell::Cell;
    use std::path::{Path, PathBuf};

    /// A start with ten servers that wish for something each would be slow otherwise.
    #[test]
    fn each_place_is_looked_up_once_however_many_wishes_there_are() {
        let closed = Closed::new(Path::new("/home/me/.reasonix"), Some(Path::new("/home/me")));
        let count = Cell::new(0);
        let real = |path: &Path| {
            count.set(count.get() + 1);
            path.strip_prefix("/link").map_or_else(|_| path.to_owned(), |rest| PathBuf::from("/home/me").join(rest))
        };
        assert!(!closed.holds_by(Path::new("/home/me/notes"), real));
        assert!(closed.holds_by(Path::new("/link/.ssh/id"), real));
        assert!(closed.holds_by(Path::new("/link/.reasonix/state"), real));
        assert!((0..7).all(|_| !closed.holds_by(Path::new("/srv"), real)));
        assert_eq!(count.get(), HOME_SECRETS.len() + 1 + 10);
    }
}
