//! The targets of `cargo xtask fuzz` for libFuzzer, which is guided by what of the code an input reaches.
//!
//! The targets themselves are those of the chore: what a reader promises is written down once.

#[path = "../../xtask/src/fuzz"]
mod chore {
    pub(crate) mod targets;
}

use chore::targets::TARGETS;

/// Gives an input to a target, which panics where its promise is broken.
///
/// # Panics
/// Where a promise is broken, or there is no such target.
pub fn check(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.unwrap_or_else(|| panic!("there is no target `{name}`"));
    (target.check)(input);
}
