//! The composition: builds an agent from settings, owns live sessions and approvals.
