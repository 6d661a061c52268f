//! Child processes: spawn, timeouts, kill of the whole tree, output caps, environment scrubbing.
