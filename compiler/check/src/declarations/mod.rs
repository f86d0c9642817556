//! Files, modules, bindings and attributes.

pub(crate) mod attributes;
pub(crate) mod bindings;
pub(crate) mod files;
pub(crate) mod foreign;
pub(crate) mod module_bindings;
pub(crate) mod modules;
pub(crate) mod resources;
pub(crate) mod test_cases;
