//! What is known of the declarations around places, in the words of packs.

use std::path::Path;

use portolan_pack::context::Declared;
use portolan_vfs::System;

use crate::map::{MapError, MapReport};

/// A declaration with the lines that show it.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) file: String,
    pub(super) decl: Declared,
    /// The lines of its head.
    pub(super) ranges: Vec<(u32, u32)>,
    /// The lines that show it where a message names it.
    pub(super) named: Vec<(u32, u32)>,
    /// The lines of all of it.
    pub(super) whole: Vec<(u32, u32)>,
}

/// What is known of code.
pub(super) trait Code {
    /// Whether something is known of a file.
    fn knows(&self, file: &str) -> bool;

    /// The declaration, or the member of one, around a place.
    fn around(&self, file: &str, line: u32, col: Option<u32>) -> Option<Item>;

    /// The same, to be shown as a head with that line.
    fn head_at(&self, file: &str, line: u32) -> Option<Item>;

    /// What the declaration around a place needs, nearest first, with the number of hops.
    fn needs(&self, file: &str, line: u32, hops: u8) -> Vec<(u8, Item)>;

    /// The declarations of a name: near a file, or the few of the repository.
    fn named(&self, name: &str, near: &str) -> Vec<Item>;
}

/// Nothing is known.
pub(super) struct Plain;

impl Code for Plain {
    fn knows(&self, _: &str) -> bool {
        false
    }

    fn around(&self, _: &str, _: u32, _: Option<u32>) -> Option<Item> {
        None
    }

    fn head_at(&self, _: &str, _: u32) -> Option<Item> {
        None
    }

    fn needs(&self, _: &str, _: u32, _: u8) -> Vec<(u8, Item)> {
        Vec::new()
    }

    fn named(&self, _: &str, _: &str) -> Vec<Item> {
        Vec::new()
    }
}

/// Works with what is known of the code of a repository.
#[expect(clippy::unnecessary_wraps, reason = "opening declarations can fail")]
pub(super) fn with_code<R: Send>(
    _system: &dyn System,
    _root: &Path,
    _map: &MapReport,
    work: impl FnOnce(&dyn Code) -> R + Send,
) -> Result<R, MapError> {
    Ok(work(&Plain))
}
