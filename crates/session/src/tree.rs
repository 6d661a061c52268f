//! The tree of a session as a list of rows: each branch after its parent, the active one first.

use crate::header::Kind;
use crate::marks::title;
use crate::past::{Past, typed};
use crate::shape::Shape;
use reasonix_proto::{Message, Record, RecordBody, RecordId, StopReason, TreeFilter, TreeNode};

/// Rows that are given at most; the oldest are left out.
const MOST: usize = 20_000;

/// A view of the tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TreeView {
    /// The rows, each branch after its parent, the active one first.
    pub nodes: Vec<TreeNode>,
    /// How many older ones are left out.
    pub older: usize,
}

impl Past {
    /// The visible records, flattened. Blocking: reads every visible record.
    pub fn tree(&self, filter: TreeFilter, text: &str) -> TreeView {
        self.tree_of(filter, text, MOST)
    }

    fn tree_of(&self, filter: TreeFilter, text: &str, most: usize) -> TreeView {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        let (rows, labels) = self.with_shape(|shape, marks| (rows(shape), marks.labels.clone()));
        let candidate = |row: &Row| row.is_candidate(filter, labels.contains_key(&RecordId(row.id)));
        // What is searched for is searched for everywhere; else nothing is read that is not shown.
        let limit = if words.is_empty() { most } else { usize::MAX };
        let (from, mut older) = newest(rows.iter().filter(|row| candidate(row)).map(|row| row.place), limit);
        let mut shown: Vec<TreeNode> = Vec::new();
        let mut visible: Vec<Option<RecordId>> = vec![None; rows.len()];
        for row in &rows {
            // Where a record is not shown, the nearest shown one before it is the parent of what follows.
            let parent = row.parent.and_then(|parent| *visible.get(parent)?);
            let id = RecordId(row.id);
            let label = labels.get(&id).cloned();
            let wanted = row.place >= from && candidate(row);
            let node = wanted.then(|| self.record(id)).flatten().and_then(|record| {
                let (kind, text) = content(&record, filter == TreeFilter::All || row.leaf)?;
                let node = TreeNode {
                    id,
                    parent,
                    depth: row.depth,
                    kind,
                    text,
                    label,
                    turn: row.turn,
                    at: record.at,
                    active: row.active,
                };
                fits(&node, &words).then_some(node)
            });
            if let Some(nearest) = visible.get_mut(row.place) {
                *nearest = node.as_ref().map(|node| node.id).or(parent);
            }
            shown.extend(node);
        }
        let (from, more) = newest(shown.iter().map(|node| node.id.0), most);
        shown.retain(|node| node.id.0 >= from);
        older += more;
        TreeView { nodes: shown, older }
    }
}

/// From which one on the newest `most` of these come, and how many come before it.
fn newest<T: Ord + Copy + Default>(all: impl Iterator<Item = T>, most: usize) -> (T, usize) {
    let mut all: Vec<T> = all.collect();
    let older = all.len().saturating_sub(most);
    if older == 0 {
        return (T::default(), 0);
    }
    let (_, first, _) = all.select_nth_unstable(older);
    (*first, older)
}

struct Row {
    place: usize,
    id: u64,
    parent: Option<usize>,
    kind: Kind,
    turn: u32,
    depth: u32,
    active: bool,
    leaf: bool,
}

impl Row {
    fn is_candidate(&self, filter: TreeFilter, labelled: bool) -> bool {
        let said = matches!(self.kind, Kind::Prompt | Kind::Note | Kind::Assistant | Kind::Shell);
        let done = matches!(self.kind, Kind::Outcome | Kind::ShellEnded);
        match filter {
            TreeFilter::All => true,
            TreeFilter::LabelledOnly => labelled,
            TreeFilter::UserOnly => matches!(self.kind, Kind::Prompt | Kind::Note | Kind::Shell),
            TreeFilter::NoTools => said || labelled,
            TreeFilter::Default => said || done || labelled,
        }
    }
}

/// All records in the order in which they are shown.
fn rows(shape: &Shape) -> Vec<Row> {
    let nodes = shape.nodes();
    let leaf = shape.leaf();
    let mut active = vec![false; nodes.len()];
    for place in leaf.map(|leaf| shape.path(leaf)).unwrap_or_default() {
        active.get_mut(place).into_iter().for_each(|active| *active = true);
    }
    let is_active = |place: usize| active.get(place).copied().unwrap_or_default();
    // Few large pieces of memory: they are given back when this is over, which many small ones are not.
    let mut children: Vec<(Option<usize>, usize)> =
        nodes.iter().enumerate().map(|(place, node)| (node.parent(), place)).collect();
    children.sort_unstable();
    let mut rows = Vec::with_capacity(nodes.len());
    let ordered = |of: Option<usize>| {
        let from = children.partition_point(|(parent, _)| *parent < of);
        let of_it = children.iter().skip(from).take_while(|(parent, _)| *parent == of);
        let mut places: Vec<usize> = of_it.map(|(_, place)| *place).collect();
        places.sort_by_key(|place| (!is_active(*place), *place));
        places
    };
    // A stack instead of recursion: a session is as deep as it is long.
    let mut waiting: Vec<(usize, u32)> = ordered(None).into_iter().rev().map(|place| (place, 0)).collect();
    while let Some((place, depth)) = waiting.pop() {
        let Some(node) = nodes.get(place) else { continue };
        rows.push(Row {
            place,
            id: node.id,
            parent: node.parent(),
            kind: node.kind,
            turn: node.turn,
            depth,
            active: is_active(place),
            leaf: leaf == Some(place),
        });
        let below = ordered(Some(place));
        let branches = below.len() > 1;
        let next = below.into_iter().enumerate().rev();
        waiting.extend(next.map(|(index, child)| (child, depth + u32::from(branches && index > 0))));
    }
    rows
}

/// The kind and the text of a row; none for an answer that consists of calls alone, unless it is to be seen.
fn content(record: &Record, all: bool) -> Option<(String, String)> {
    let kind = serde_json::to_value(&record.body).ok()?.get("kind")?.as_str()?.to_owned();
    let text = match &record.body {
        body @ (RecordBody::Prompt { .. } | RecordBody::Shell { .. }) => typed(body).unwrap_or_default(),
        RecordBody::Note { text, typed, .. } => typed.clone().unwrap_or_else(|| text.clone()),
        RecordBody::Assistant { message: Message::Assistant { text, calls, stop, .. }, .. } => {
            let ended = matches!(stop, StopReason::Interrupted | StopReason::Failed);
            if text.trim().is_empty() && !all && !ended {
                return None;
            }
            let names = || calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>().join(", ");
            if text.trim().is_empty() { names() } else { text.clone() }
        }
        RecordBody::Rewound(back) => back.report.clone(),
        RecordBody::RulesFired(fired) => {
            fired.rules.iter().map(|rule| rule.name.as_str()).collect::<Vec<_>>().join(", ")
        }
        RecordBody::Left(left) => left.summary.clone(),
        RecordBody::Outcome { tool, .. } => tool.clone(),
        RecordBody::ShellEnded { command, .. } => command.clone(),
        RecordBody::Validation(ran) => ran.command.clone(),
        RecordBody::Titled { title, .. } => title.clone(),
        RecordBody::Labelled { label, .. } => label.clone(),
        RecordBody::ModelChanged { model, .. } => model.clone(),
        _ => String::new(),
    };
    Some((kind, title(&text)))
}

fn fits(node: &TreeNode, words: &[String]) -> bool {
    let label = node.label.as_deref().unwrap_or_default();
    let all = format!("{label} {} {}", node.kind, node.text).to_lowercase();
    words.iter().all(|word| all.contains(word))
}

#[cfg(test)]
mod tests {
    use crate::in_memory;
    use reasonix_proto::{EditsWith, RecordBody, SessionHead, TreeFilter};

    fn note(text: String) -> RecordBody {
        RecordBody::Prompt { turn: 1, text, typed: None, images: Vec::new() }
    }

    #[tokio::test]
    async fn where_not_all_is_shown_the_newest_is() {
        let head = SessionHead {
            v: 2,
            session: "s".into(),
            version: String::new(),
            cwd: "/".into(),
            model: "a/b".into(),
            system: String::new(),
            tools: Vec::new(),
            specs: None,
            edit: EditsWith::Unsaid,
            sandbox: "off".into(),
            from: None,
            parts: Vec::new(),
            agent: None,
        };
        let opened = in_memory(head);
        for number in 0..50 {
            opened.journal.append(note(format!("prompt {number}"))).await.unwrap();
        }
        let view = opened.past.tree_of(TreeFilter::UserOnly, "", 10);
        let texts: Vec<&str> = view.nodes.iter().map(|node| node.text.as_str()).collect();
        assert_eq!((view.older, texts.len()), (40, 10));
        assert_eq!((texts[0], texts[9]), ("prompt 40", "prompt 49"));
        assert!(view.nodes.iter().all(|node| node.active));
        // What is searched for is found wherever it is.
        let found = opened.past.tree_of(TreeFilter::UserOnly, "prompt 3", 10);
        assert_eq!((found.older, found.nodes.len()), (4, 10), "3, 13, 23, 30 to 39 and 43, without the oldest");
        assert_eq!(opened.past.tree_of(TreeFilter::UserOnly, "12", 10).nodes.len(), 1);
        assert_eq!(opened.past.tree(TreeFilter::All, "").older, 0);
    }
}
