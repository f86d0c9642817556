//! Paths as text.

use std::path::{Component, Path, PathBuf};

/// The path without `.` and, where the text alone allows it, without `..`.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(normal.components().next_back(), Some(Component::Normal(_))) => {
                normal.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::ParentDir | Component::Normal(_) => {
                normal.push(component);
            }
        }
    }
    normal
}
