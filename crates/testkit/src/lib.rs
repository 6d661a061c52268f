//! Tests only: a scripted model server, temporary workspaces and event collection.
