//! The server as an editor sees it, over a connection in memory.

mod editor;
mod features;
mod fields;
mod memory;
mod robust;
mod state;
