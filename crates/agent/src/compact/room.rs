//! How much a folded conversation may have, and how that is shared out.

use super::share;
use crate::conversation::Conversation;

/// Notes of fewer tokens would say nothing.
const LEAST_NOTES: u64 = 96;

/// What the first wish and the last thirty messages take, cut to a line each.
const LEAST_PINS: u64 = 720;

/// Notes of more tokens say nothing more.
const MOST_NOTES: u64 = 3_000;

/// What stands around pins and notes: what they are, and who has them.
const FRAME: u64 = 110;

/// Windows from here on are large.
const LARGE: u64 = 100_000;

/// Of outputs, so many of the newest tokens stay in a large window.
const NEWEST_OUTPUTS: u64 = 40_000;

/// In a large window, outputs give way where that frees so many tokens.
const LEAST_FREED: u64 = 20_000;

/// By how much less than half of the window is aimed at.
const SMALLER: u64 = 2_700;

/// How full the window may be, in tokens as the endpoint counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    pub(super) window: u64,
    threshold: u64,
    /// The system prompt and the tools, which stay.
    prefix: u64,
}

impl Room {
    pub(super) fn of(conversation: &Conversation, window: u64, ratio: f64) -> Self {
        let prefix = conversation.counted_as(conversation.prefix_tokens());
        Self { window, threshold: share(window, ratio), prefix }
    }

    /// The most that a folded conversation may have: below the threshold with room for a fifth of the window, or for half of
    /// what the prompt and the tools leave where that is less.
    pub(super) fn most(&self) -> u64 {
        let left = self.threshold.saturating_sub(self.prefix);
        self.threshold.saturating_sub((self.window / 5).min(left / 2))
    }

    /// How many tokens of outputs stay, the newest, where older ones give way.
    pub(super) fn newest_outputs(&self) -> u64 {
        if self.window >= LARGE { NEWEST_OUTPUTS } else { self.window / 4 }
    }

    /// Whether outputs that gave way are enough: of a large window so much is freed, of another one 60 % is the most that is
    /// still filled.
    pub(super) fn is_pruned_enough(&self, before: u64, after: u64) -> bool {
        let enough = match self.window >= LARGE {
            true => before.saturating_sub(after) >= LEAST_FREED,
            false => after <= self.window * 3 / 5,
        };
        enough && after <= self.most()
    }

    /// What a folding aims at, so that the next one is far: half of the window less what makes it a third of a small one;
    /// more where the prompt and the tools take much of that.
    pub(super) fn goal(&self) -> u64 {
        let wanted = (self.window / 2).saturating_sub(SMALLER).max(self.window / 3);
        wanted.max(self.prefix.saturating_add(self.window / 4)).min(self.most())
    }
}

/// How many tokens the parts of a folded conversation may have, by estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    /// All of them.
    pub(super) all: u64,
    pub(super) notes: u64,
    pub(super) tail: u64,
    /// The most for what the user said, however much is left.
    pub(super) most_pins: u64,
    /// The fewest for it, however little is left.
    pub(super) least_pins: u64,
}

impl Budget {
    /// The budget of a conversation; each squeeze halves it.
    pub(super) fn of(conversation: &Conversation, room: Room, squeeze: u32) -> Self {
        let within = |tokens: u64| conversation.estimate_of(tokens).saturating_sub(conversation.prefix_tokens());
        let all = within(room.goal()) >> squeeze.min(6);
        let most_pins = within(room.prefix + room.window * 2 / 5);
        let least_pins = LEAST_PINS.min(within(room.prefix + room.window * 3 / 20)) >> squeeze.min(6);
        Self { all, least_pins, notes: (all / 6).clamp(LEAST_NOTES, MOST_NOTES), tail: all / 5, most_pins }
    }

    /// What is left for what the user said, beside a tail of so many tokens.
    pub(super) fn pins(&self, tail: u64) -> u64 {
        let rest = self.all.saturating_sub(FRAME + self.notes + tail);
        let least = self.least_pins.max(self.all / 4);
        rest.max(least).min(self.most_pins.max(least))
    }
}
