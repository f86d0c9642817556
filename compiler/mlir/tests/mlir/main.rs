//! The crate from outside: programs are written with the builder, and looked at after each step.

mod builder;
mod closures;
mod dialect;
mod fixture;
mod machine_code;
mod native;
mod rejections;
mod static_slots;
