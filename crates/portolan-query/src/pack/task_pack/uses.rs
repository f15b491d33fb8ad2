//! What declarations use, as heads.

use super::{Gather, base_name};
use crate::pack::context::{SliceCandidate as Piece, SliceRole as Role};

/// What the first declarations use is shown too: of so many, and so many of each.
const USERS: usize = 8;
const USES: usize = 4;

impl Gather<'_, '_> {
    /// What some declarations use, as heads.
    pub(super) fn uses(&mut self, declarations: &[(String, u32)]) {
        for (file, line) in declarations.iter().take(USERS) {
            let Some(user) = self.code.around(file, *line, None) else { continue };
            // A statement has no name of its own.
            let why = match user.decl.name.as_str() {
                "" => format!("used by {}", base_name(file)),
                name => format!("used by `{name}`"),
            };
            let needs = self.code.needs(file, *line, 1);
            let others = needs.into_iter().filter(|(_, item)| {
                self.inputs.ranking.map().place_of(&item.file).is_some()
                    && self.texts.get(&item.file).is_some()
            });
            let pieces = others.take(USES).map(|(_, item)| Piece {
                role: Role::Uses,
                why: vec![why.clone()],
                file: item.file,
                decl: Some(item.decl),
                ranges: item.ranges,
            });
            self.pieces.extend(pieces);
        }
    }
}
