//! Skills that Reasonix brings itself. A file of the same name stands before each of them.

use crate::names::BroughtBy;
use crate::skill::Skill;

const TEXTS: &[(&str, &str)] = &[
    ("commit", include_str!("bundled/commit.md")),
    ("explore", include_str!("bundled/explore.md")),
    ("init", include_str!("bundled/init.md")),
    ("research", include_str!("bundled/research.md")),
    ("review", include_str!("bundled/review.md")),
    ("security-review", include_str!("bundled/security-review.md")),
];

pub(crate) fn bundled() -> impl Iterator<Item = Skill> {
    TEXTS.iter().filter_map(|(name, text)| {
        let (skill, _) = Skill::parse(text, name, BroughtBy::Bundled).ok()?;
        Some(Skill { text: Some(text), ..skill })
    })
}

#[cfg(test)]
mod tests {
    use super::{TEXTS, bundled};

    #[test]
    fn all_of_them_are_sound() {
        let skills: Vec<_> = bundled().collect();
        assert_eq!(skills.len(), TEXTS.len());
        for (skill, (name, _)) in skills.iter().zip(TEXTS) {
            let body = skill.body().unwrap();
            assert_eq!(skill.name, *name);
            assert!(body.len() > 200 && body.len() < 4000, "{name}: {}", body.len());
            assert!(skill.for_people && skill.files().0.is_empty());
            assert_eq!(skill.for_models, *name != "commit", "{name}");
            assert_eq!(skill.forks.is_some(), matches!(*name, "explore" | "research"), "{name}");
        }
    }
}
