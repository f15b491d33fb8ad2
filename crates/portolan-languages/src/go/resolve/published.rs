//! Published modules: their paths and requirements.

use super::manifest;
use crate::resolve::published::{Manifests, Published};

pub(super) fn published(manifests: &Manifests<'_>, folder: &str) -> Option<Published> {
    let module = manifest::read(&manifests.read(folder, "go.mod")?);
    let name = Some(module.path).filter(|path| !path.is_empty());
    let modules = name.iter().cloned().collect();
    let required = module.required.into_iter();
    let requirements = required.map(|asked| (asked.module, asked.version)).collect();
    Some(Published { name, modules, requirements, ..Published::default() })
}
