//! What the model said. While it streams it counts as the answer; when calls follow it was a plan.

use super::View;
use super::sheet::Sheet;
use crate::text::Rich;
use crate::text::markdown::{Stream, lines};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};
use reasonix_proto::RecordId;

/// What the model said.
#[derive(Debug)]
pub(crate) struct Prose {
    pub(crate) is_plan: bool,
    pub(crate) record: Option<RecordId>,
    /// Citations that do not hold, as they are written.
    pub(crate) broken: Vec<Box<str>>,
    text: Text,
    /// How many pieces were given out, with the heading before them.
    given: Option<usize>,
}

#[derive(Debug)]
enum Text {
    Live(Box<Stream>),
    Whole(Box<str>),
}

impl Prose {
    /// Text that begins to stream.
    pub(crate) fn streaming() -> Self {
        Self { is_plan: false, record: None, broken: Vec::new(), text: Text::Live(Box::default()), given: None }
    }

    /// Text that is known whole.
    pub(crate) fn whole(text: &str, is_plan: bool, record: Option<RecordId>) -> Self {
        Self { is_plan, record, broken: Vec::new(), text: Text::Whole(text.into()), given: None }
    }

    pub(crate) fn push(&mut self, delta: &str) {
        if let Text::Live(stream) = &mut self.text {
            stream.push(delta);
        }
    }

    pub(crate) fn source(&self) -> &str {
        match &self.text {
            Text::Live(stream) => stream.source(),
            Text::Whole(text) => text,
        }
    }

    /// True when a part of it was given out already.
    pub(crate) fn is_given(&self) -> bool {
        self.given.is_some()
    }

    /// The whole text is known. Pieces of it may have been lost on the way: those are put in where that is still possible.
    pub(crate) fn complete(&mut self, whole: &str) {
        let Text::Live(stream) = &mut self.text else { return };
        stream.finish();
        let arrived = stream.source();
        let whole = crate::text::neutral(whole);
        if arrived == whole {
            return;
        }
        if self.given.is_none() {
            self.text = Text::Whole(whole.into());
        } else if let Some(rest) = whole.strip_prefix(arrived).map(str::to_owned) {
            stream.push(&rest);
            stream.finish();
        }
    }

    /// What is final while the rest still streams, as far as it has no room on the screen.
    pub(crate) fn spill(&mut self, view: View<'_>, room: usize) -> Vec<Line<'static>> {
        let mut sheet = Sheet::new(view);
        let given = self.given;
        let Text::Live(stream) = &mut self.text else { return Vec::new() };
        stream.draw(sheet.inner(), view.look);
        let from = stream.line_of(given.unwrap_or(0));
        let waiting = stream.drawn().len() - from + stream.tail().len() + usize::from(given.is_none());
        if waiting <= room {
            return Vec::new();
        }
        let upto = stream.piece_at(from + waiting - room);
        if upto <= given.unwrap_or(0) {
            return Vec::new();
        }
        let ready = stream.drawn().get(from..stream.line_of(upto)).unwrap_or_default().to_vec();
        self.given = Some(upto);
        if given.is_none() {
            self.heading(&mut sheet);
        }
        sheet.inset(ready);
        sheet.lines
    }

    /// Gives out what was not given out yet, and keeps the text alone.
    pub(crate) fn finish(&mut self, view: View<'_>) -> Vec<Line<'static>> {
        let lines = self.rest(view);
        if let Text::Live(stream) = &self.text {
            self.text = Text::Whole(stream.source().into());
        }
        self.given = Some(usize::MAX);
        lines
    }

    /// What was not given out yet.
    pub(crate) fn rest(&mut self, view: View<'_>) -> Vec<Line<'static>> {
        let mut sheet = Sheet::new(view);
        let given = self.given;
        if given.is_none() {
            self.heading(&mut sheet);
        }
        let body = match &mut self.text {
            Text::Live(stream) => {
                stream.draw(sheet.inner(), view.look);
                let mut lines = stream.drawn().get(stream.line_of(given.unwrap_or(0))..).unwrap_or_default().to_vec();
                lines.extend_from_slice(stream.tail());
                lines
            }
            Text::Whole(text) => lines(text, sheet.inner(), view.look),
        };
        sheet.inset(self.struck(body, view));
        if self.is_plan && given.is_some() {
            // The heading that went out said otherwise.
            sheet.text(&format!("({})", view.look.word("tui.plan")), view.look.theme.plan);
        }
        sheet.lines
    }

    /// All of it, whatever was given out.
    pub(crate) fn lines(&self, view: View<'_>) -> Vec<Line<'static>> {
        let mut sheet = Sheet::new(view);
        self.heading(&mut sheet);
        let body = match &self.text {
            Text::Live(stream) => lines(stream.source(), sheet.inner(), view.look),
            Text::Whole(text) => lines(text, sheet.inner(), view.look),
        };
        sheet.inset(self.struck(body, view));
        sheet.lines
    }

    fn heading(&self, sheet: &mut Sheet<'_>) {
        let look = sheet.view.look;
        let (mark, code, style) = match (self.is_plan, look.unicode) {
            (true, true) => ("▹", "tui.plan", look.theme.plan),
            (true, false) => ("-", "tui.plan", look.theme.plan),
            (false, true) => ("▸", "tui.answer", look.theme.answer),
            (false, false) => ("*", "tui.answer", look.theme.answer),
        };
        let style = style.add_modifier(Modifier::BOLD);
        sheet.head(mark, style, &Rich::new(&look.word(code), style));
    }

    fn struck(&self, mut lines: Vec<Line<'static>>, view: View<'_>) -> Vec<Line<'static>> {
        if !self.broken.is_empty() {
            let style = view.look.theme.bad.add_modifier(Modifier::CROSSED_OUT);
            for line in &mut lines {
                strike(line, &self.broken, style);
            }
        }
        lines
    }
}

/// Gives these words another style wherever they stand in a line.
fn strike(line: &mut Line<'static>, words: &[Box<str>], style: Style) {
    let text = line.to_string();
    if !words.iter().any(|word| !word.is_empty() && text.contains(&**word)) {
        return;
    }
    let mut rich = Rich::default();
    let mut marks = vec![false; text.len()];
    for word in words.iter().filter(|word| !word.is_empty()) {
        for (at, found) in text.match_indices(&**word) {
            marks.iter_mut().skip(at).take(found.len()).for_each(|mark| *mark = true);
        }
    }
    let mut at = 0;
    for span in &line.spans {
        for c in span.content.chars() {
            let is_marked = marks.get(at).copied().unwrap_or(false);
            let span_style = if is_marked { span.style.patch(style) } else { span.style };
            rich.push(c.encode_utf8(&mut [0; 4]), span_style);
            at += c.len_utf8();
        }
    }
    let mut spans: Vec<Span<'static>> = Vec::new();
    rich.slice_into(0, text.len(), &mut spans);
    line.spans = spans;
}
