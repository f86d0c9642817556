//! The graph as text.
