//! Model wires: encode, stream, decode, retry and error classes.
