//! Debug probes.
