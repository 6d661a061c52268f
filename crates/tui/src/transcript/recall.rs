//! What an earlier process left.

use super::Transcript;
use reasonix_proto::Record;

impl Transcript {
    /// Takes in what an earlier process left, in order.
    pub fn recall(&mut self, records: &[Record]) {
        for record in records {
            self.close_ended_prose();
            self.record(record);
        }
        self.close_turn();
    }
}
