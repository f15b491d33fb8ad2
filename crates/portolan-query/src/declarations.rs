//! The questions about declarations: look, read, and the slices that packs are made of.

mod wire;

#[cfg(test)]
mod account_tests;
#[cfg(test)]
mod certainty_tests;
#[cfg(test)]
mod hidden_use_tests;
#[cfg(test)]
mod language_type_tests;
#[cfg(test)]
mod linked_name_tests;
#[cfg(test)]
mod name_tests;
#[cfg(test)]
mod narrowing_tests;
#[cfg(test)]
mod proof_tests;
#[cfg(test)]
mod read_tests;
#[cfg(test)]
mod resolver_tests;
#[cfg(test)]
mod store_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod way_tests;

pub use crate::account::Account;
pub use crate::look::{Look, LookReport, LookRequest, Neighbour, Side, UseFilter, look};
pub use crate::read::{
    DOCUMENT_BUDGET, Enclosure, FileOutline, NeedsMode, OutlineEntry, ReadDocument, ReadError,
    ReadReport, ReadRequest, UsedName, read, read_document,
};
pub use crate::slices::{
    Closure, Focus, FocusedLines, Missing, Omitted, SliceRequest, SliceSet, TextSlice, TooSmall,
    slices_around,
};
pub use crate::target::{Target, TargetError, TargetLookup, parse_target};
pub use crate::unresolved::Unresolved;
pub(crate) use crate::users::uses_of_each;
pub use crate::users::{User, Users, users_of};
