//! Normalisation of paths.

use std::path::{Component, Path, PathBuf};

/// The path without `.` and, if that is possible without the file system, without `..`.
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
