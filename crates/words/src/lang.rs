//! Which language to speak.

/// A language of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Chinese.
    Zh,
}

impl Lang {
    /// Reads a language tag or a locale such as `zh`, `zh-CN` or `zh_CN.UTF-8`; everything else is English.
    pub fn of_tag(tag: &str) -> Self {
        let primary = tag.split(['-', '_', '.', '@']).next().unwrap_or_default();
        if primary.eq_ignore_ascii_case("zh") { Self::Zh } else { Self::En }
    }
}

#[cfg(test)]
mod tests {
    use super::Lang;

    #[test]
    fn tags_and_locales() {
        for (tag, lang) in [
            ("zh", Lang::Zh),
            ("zh-CN", Lang::Zh),
            ("ZH_tw.UTF-8", Lang::Zh),
            ("en_US.UTF-8", Lang::En),
            ("C.UTF-8", Lang::En),
            ("", Lang::En),
            ("zhuang", Lang::En),
        ] {
            assert_eq!(Lang::of_tag(tag), lang, "{tag}");
        }
    }
}
