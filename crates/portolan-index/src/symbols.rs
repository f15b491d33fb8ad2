//! Declarations of a repository: read on demand, followed across files, shown as slices of text.
//!
//! [`with_symbols`] opens the declarations of a Map. Whoever wants text around some declarations under a
//! budget (packs, `read`) asks [`slices_around`]; the targets of people and agents (`path:line`,
//! `path#Name`, a name) become such declarations by [`SymbolDb::find`]. Files are read and parsed only when
//! a search comes to them, and not again while [`DeclarationStore`] has what came of it.

mod computed;
mod find;
mod globals;
mod headings;
mod library;
mod links;
mod look;
mod outline;
mod read;
mod reader;
mod slices;
mod store;
mod sweep;
mod target;
mod unresolved;
mod users;
mod wire;

#[cfg(test)]
mod meaning_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod way_tests;

pub use self::find::{find, FindReport, Found};
pub use self::headings::Headings;
pub(crate) use self::headings::heading;
pub use self::library::{with_symbols, SymbolDb};
pub use self::look::{look, Look, LookReport, LookRequest, Neighbour, Side};
pub(crate) use self::outline::{outlines, Outlined};
pub(crate) use self::reader::parsed as parsed_declarations;
pub use self::read::{read, Enclosure, NeedsMode, ReadError, ReadReport, ReadRequest};
pub use self::slices::{
    Closure, Focus, Missing, Omitted, SliceRequest, SliceSet, TextSlice, TooSmall, slices_around,
};
pub use self::store::DeclarationStore;
pub(crate) use self::sweep::{sweep, Swept, SweptMap};
pub use self::target::{parse_target, Target, TargetError};
pub use self::unresolved::Unresolved;
pub(crate) use self::users::uses_of_each;
pub use self::users::{users_of, User, Users};
