//! What the files of a repository declare: read on demand, followed across files, kept by digest.
//!
//! [`with_symbols`] opens a [`SymbolDb`] over a map. It reads and parses a file only when a search reaches it, and not
//! again while the [`DeclarationStore`] has the result.

mod computed;
mod db;
mod entries;
mod globals;
mod headings;
mod links;
mod outline;
mod outline_store;
mod reader;
mod store;
mod sweep;

pub use self::db::{SymbolDb, with_symbols};
pub use self::headings::{Headings, heading};
pub use self::outline::{Outlined, outlines};
pub use self::outline_store::OutlineStore;
pub use self::reader::{CodeReader, Loaded, parsed as parsed_declarations};
pub use self::store::{DeclarationStore, KnownText};
pub use self::sweep::{Swept, SweptMap, sweep};
