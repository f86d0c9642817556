//! Programs in growing sizes, and what each step of the compiler needs for them: nothing may grow faster than the program.

pub mod families;
pub mod measure;
