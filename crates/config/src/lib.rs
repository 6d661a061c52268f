//! Everything the user wrote on disk: layered settings, providers and rules files.
