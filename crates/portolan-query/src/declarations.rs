//! The questions about declarations: find, look, read, and the slices that packs are made of.

mod wire;

#[cfg(test)]
mod meaning_tests;
#[cfg(test)]
mod store_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod way_tests;

pub use crate::find::{find, FindReport, Found};
pub use crate::look::{look, Look, LookReport, LookRequest, Neighbour, Side};
pub use crate::read::{read, Enclosure, NeedsMode, ReadError, ReadReport, ReadRequest};
pub use crate::slices::{
    Closure, Focus, Missing, Omitted, SliceRequest, SliceSet, TextSlice, TooSmall, slices_around,
};
pub use crate::target::{parse_target, Target, TargetError, TargetLookup};
pub use crate::unresolved::Unresolved;
pub(crate) use crate::users::uses_of_each;
pub use crate::users::{users_of, User, Users};
