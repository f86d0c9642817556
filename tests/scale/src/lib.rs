//! Programs of growing sizes, and the costs of each compiler step: none may grow faster than the program.

pub mod families;
pub mod measure;
