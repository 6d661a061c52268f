//! What a person said, and as the model reads it.

use crate::ports::AnswerForm;
use reasonix_proto::Image;
use std::sync::Arc;

/// Something a person said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// As the model reads it.
    pub text: String,
    /// As it was typed, where references in it became more text.
    pub typed: Option<String>,
    /// The pictures that go with it.
    pub images: Vec<Image>,
    /// The form that the answer to it has to have.
    pub form: Option<Arc<AnswerForm>>,
}

impl From<String> for Said {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl From<&str> for Said {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Said {
    /// As a person remembers it.
    pub fn typed(&self) -> &str {
        self.typed.as_deref().unwrap_or(&self.text)
    }

    /// The same with what the model has to know before it; a person remembers it as it was.
    #[must_use]
    pub fn after_news(mut self, news: Vec<String>) -> Self {
        if news.is_empty() {
            return self;
        }
        let typed = Some(self.typed().to_owned()).filter(|typed| !typed.is_empty());
        let own = Some(std::mem::take(&mut self.text)).filter(|text| !text.is_empty());
        let text = news.into_iter().chain(own).collect::<Vec<_>>().join("\n\n");
        Self { text, typed, ..self }
    }
}
