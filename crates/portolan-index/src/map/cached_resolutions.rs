//! The resolved imports of each file, stored so that a change of a few texts re-resolves only their own imports.

use portolan_types::{EdgeKind, FileId, NodeId, NodeKind};
use serde::{Deserialize, Serialize};

use super::build::{FileNeed, FileTable, LinkTarget, Targets};

/// The resolved imports of all files of the universe, flat. Files are numbers in the order of the cache.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct CachedResolutions {
    /// The modules that are not files.
    modules: Vec<(String, u8)>,
    /// The numbers of imports and needs of each file.
    files: Vec<(u32, u32)>,
    /// The number of targets of each import.
    imports: Vec<u32>,
    /// `2 * file`, or `2 * module + 1`.
    targets: Vec<u32>,
    needs: Vec<(u32, u8, bool)>,
    /// The files that augment other modules.
    adding: Vec<FileId>,
}

/// The targets and needs of a file.
pub(super) type Trail = (Targets, Vec<FileNeed>);

impl CachedResolutions {
    /// Encodes a table. `place` gives the number of a file in the cache; `None` if a file has none.
    pub(super) fn of(table: &FileTable, place: impl Fn(FileId) -> Option<FileId>) -> Option<Self> {
        let mut cached_resolutions = Self::default();
        let mut known = std::collections::BTreeMap::new();
        for (number, file) in FileId::all().zip(&table.files[..table.universe]) {
            if table.facts(number).is_some_and(|facts| !facts.augmentations.is_empty()) {
                cached_resolutions.adding.push(place(number)?);
            }
            let mut code = |target: &LinkTarget, modules: &mut Vec<(String, u8)>| match target {
                LinkTarget::File(number) => Some(place(*number)?.number().checked_mul(2)?),
                LinkTarget::Module(id, kind) => {
                    let next = modules.len() as u32;
                    let number = *known.entry((id.clone(), *kind)).or_insert_with(|| {
                        modules.push((id.to_string(), kind.code()));
                        next
                    });
                    Some(number.checked_mul(2)? + 1)
                }
            };
            for import in 0..file.targets.imports() {
                let targets = file.targets.of(import);
                cached_resolutions.imports.push(targets.len() as u32);
                for target in targets {
                    cached_resolutions.targets.push(code(target, &mut cached_resolutions.modules)?);
                }
            }
            for need in &file.needs {
                let target = code(&need.target, &mut cached_resolutions.modules)?;
                let kind = EdgeKind::ALL.iter().position(|kind| *kind == need.kind)?;
                cached_resolutions.needs.push((target, kind as u8, need.is_written));
            }
            cached_resolutions.files.push((file.targets.imports(), file.needs.len() as u32));
        }
        Some(cached_resolutions)
    }

    /// The files that augment other modules.
    pub(super) fn adding(&self) -> &[FileId] {
        &self.adding
    }

    /// The targets and needs of each wanted file, in order; `None` if the data is inconsistent. `place` gives the number
    /// of a file in this run.
    pub(super) fn restore(
        self,
        is_wanted: impl Fn(usize) -> bool,
        mut place: impl FnMut(FileId) -> Option<FileId>,
    ) -> Option<Vec<Option<Trail>>> {
        let module = |(id, code): (String, u8)| {
            let kind = NodeKind::ALL.into_iter().find(|kind| kind.code() == code)?;
            Some(LinkTarget::Module(NodeId::from(id), kind))
        };
        let modules: Vec<LinkTarget> =
            self.modules.into_iter().map(module).collect::<Option<_>>()?;
        let mut target = |code: u32| match code % 2 {
            0 => place(FileId::new(code / 2)).map(LinkTarget::File),
            _ => modules.get((code / 2) as usize).cloned(),
        };
        let (mut imports, mut list) = (self.imports.into_iter(), self.targets.into_iter());
        let mut needs = self.needs.into_iter();
        let mut restored = Vec::with_capacity(self.files.len());
        for (number, (n_imports, n_needs)) in self.files.into_iter().enumerate() {
            let is_wanted = is_wanted(number);
            let mut targets = Targets::default();
            for n_targets in imports.by_ref().take(n_imports as usize) {
                let found = list.by_ref().take(n_targets as usize);
                if is_wanted {
                    targets.push(found.map(&mut target).collect::<Option<Vec<_>>>()?);
                } else {
                    found.for_each(drop);
                }
            }
            let need = |(code, kind, is_written): (u32, u8, bool)| {
                let kind = *EdgeKind::ALL.get(usize::from(kind))?;
                Some(FileNeed { target: target(code)?, kind, is_written })
            };
            let needs = needs.by_ref().take(n_needs as usize);
            restored.push(if is_wanted {
                Some((targets, needs.map(need).collect::<Option<_>>()?))
            } else {
                needs.for_each(drop);
                None
            });
        }
        Some(restored)
    }
}
