//! Types that stand on the wire and on disk as a text of their own.

/// Reads and writes a type as the text that it stands for. Whatever is read is written back as it was.
macro_rules! as_text {
    ($($name:ident),+) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.text())
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::read(text)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.text())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <String as serde::Deserialize>::deserialize(deserializer).map(|text| Self::read(&text))
            }
        }
    )+};
}

pub(crate) use as_text;
