//! A simulated debug probe.
