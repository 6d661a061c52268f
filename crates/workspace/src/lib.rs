//! The file boundary: confined paths, encodings, read guard and in-process search.
