//! How one indentation maps to another, learnt from lines that are the same but for it.

/// A mapping between two ways to indent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Indent {
    pairs: Vec<(String, String)>,
    unit: (String, String),
}

impl Indent {
    /// Learns from pairs of leading blanks. Nothing when the two do not nest alike: then the structure differs, not the style.
    pub(crate) fn learn<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let mut known: Vec<(String, String)> = Vec::new();
        for (from, to) in pairs {
            if known.iter().any(|(a, b)| a == from && b == to) {
                continue;
            }
            if known.iter().any(|(a, b)| !nest_alike((a, b), (from, to))) {
                return None;
            }
            known.push((from.to_owned(), to.to_owned()));
        }
        let unit = unit_of(&known);
        Some(Self { pairs: known, unit })
    }

    /// Puts a line into the other style.
    pub(crate) fn apply(&self, line: &str) -> String {
        let (blanks, body) = split(line);
        if body.trim_end().is_empty() {
            return body.to_owned();
        }
        format!("{}{body}", self.mapped(blanks))
    }

    fn mapped(&self, blanks: &str) -> String {
        let outer = self.pairs.iter().filter(|(from, _)| blanks.starts_with(from.as_str()));
        if let Some((from, to)) = outer.max_by_key(|(from, _)| from.len()) {
            let deeper = blanks.strip_prefix(from.as_str()).unwrap_or_default();
            return format!("{to}{}", self.translated(deeper));
        }
        let inner = self.pairs.iter().filter(|(from, _)| from.starts_with(blanks));
        if let Some((from, to)) = inner.min_by_key(|(from, _)| from.len()) {
            let deeper = self.translated(from.strip_prefix(blanks).unwrap_or_default());
            if let Some(outer) = to.strip_suffix(deeper.as_str()) {
                return outer.to_owned();
            }
        }
        self.translated(blanks)
    }

    fn translated(&self, blanks: &str) -> String {
        let (from, to) = &self.unit;
        let mut rest = blanks;
        let mut out = String::new();
        while let Some(tail) = rest.strip_prefix(from.as_str()).filter(|_| !from.is_empty()) {
            out.push_str(to);
            rest = tail;
        }
        out + rest
    }
}

/// Leading blanks and the rest.
pub(crate) fn split(line: &str) -> (&str, &str) {
    let body = line.trim_start_matches([' ', '\t']);
    line.split_at(line.len() - body.len())
}

fn nest_alike(one: (&str, &str), other: (&str, &str)) -> bool {
    let inside = |a: &str, b: &str| a.len() < b.len() && b.starts_with(a);
    one.0 != other.0
        && one.1 != other.1
        && inside(one.0, other.0) == inside(one.1, other.1)
        && inside(other.0, one.0) == inside(other.1, one.1)
}

/// The smallest step that is known on both sides.
fn unit_of(pairs: &[(String, String)]) -> (String, String) {
    let root = (String::new(), String::new());
    let with_root = pairs.iter().chain((!pairs.iter().any(|pair| pair.0.is_empty())).then_some(&root));
    let steps = with_root.flat_map(|outer| pairs.iter().filter_map(move |inner| step(outer, inner)));
    steps.min_by_key(|step| step.0.len()).unwrap_or_default()
}

fn step(outer: &(String, String), inner: &(String, String)) -> Option<(String, String)> {
    let from = inner.0.strip_prefix(outer.0.as_str())?;
    let to = inner.1.strip_prefix(outer.1.as_str())?;
    let plain = |blanks: &str| blanks.chars().all(|c| c == ' ') || blanks.chars().all(|c| c == '\t');
    if from.is_empty() || to.is_empty() || !plain(from) || !plain(to) {
        return None;
    }
    let common = gcd(from.len(), to.len());
    Some((from.get(..from.len() / common)?.to_owned(), to.get(..to.len() / common)?.to_owned()))
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::Indent;

    #[test]
    fn styles_are_learnt() {
        type Pairs<'a> = &'a [(&'a str, &'a str)];
        let table: [(Pairs<'_>, Pairs<'_>); 6] = [
            (&[("    ", "\t"), ("        ", "\t\t")], &[("            x", "\t\t\tx"), ("x", "x"), ("     x", "\t x")]),
            (&[("\t", "  ")], &[("\t\tx", "    x"), ("x", "x"), ("\t", "")]),
            (&[("", "    ")], &[("x", "    x"), ("  x", "      x")]),
            (&[("    ", "        ")], &[("x", "x"), ("        x", "                x")]),
            (&[("        ", "\t\t")], &[("    x", "\tx"), ("x", "x")]),
            (&[("  ", "    "), ("", "")], &[("    x", "        x")]),
        ];
        for (pairs, lines) in table {
            let indent = Indent::learn(pairs.iter().copied()).unwrap();
            for (line, wanted) in lines {
                assert_eq!(indent.apply(line), *wanted, "{pairs:?} {line:?}");
            }
        }
    }

    #[test]
    fn another_structure_is_no_style() {
        for pairs in [[("", ""), ("  ", "")], [("", "  "), ("", "    ")], [("", "    "), ("  ", "  ")]] {
            assert_eq!(Indent::learn(pairs.into_iter()), None, "{pairs:?}");
        }
    }
}
