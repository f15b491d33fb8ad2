//! What names mean across files, in the ways that modules pass them on.

use super::LookRequest;
use super::look::Side;
use super::tests::{asked, look_at, look_in, read_in};

/// The lines after the title of what is seen of one side of a target.
#[track_caller]
fn check_side(side: Side, fixture: &str, target: &str, expected: &str) {
    let text = look_in(fixture, &LookRequest { side, ..look_at(target) }, 4_000);
    let (_, rest) = text.split_once('\n').unwrap();
    assert_eq!(rest, expected, "{target}");
}

#[track_caller]
fn check_users(fixture: &str, target: &str, expected: &str) {
    check_side(Side::Users, fixture, target, expected);
}

#[track_caller]
fn check_needs(fixture: &str, target: &str, expected: &str) {
    check_side(Side::Needs, fixture, target, expected);
}

const BARRELS: &str = "\
//- lib/over.ts
export function plain(x: string) { return x; }
export default class Whole {}
//- lib/index.ts
export { plain as plainIt, default as Thing } from './over';
//- kit.ts
import { plainIt as inner } from './lib';
export { inner as outer };
export { Thing as Part } from './lib';
//- use.ts
import { outer, Part } from './kit';
export const one = () => outer('a');
export const two = () => new Part();
";

#[test]
fn what_barrels_rename_has_its_users() {
    check_users(
        BARRELS,
        "lib/over.ts#plain",
        "users:\n./\n use.ts 2 export const one = () => outer('a');\n",
    );
    check_users(
        BARRELS,
        "lib/over.ts#Whole",
        "users:\n./\n use.ts 3 export const two = () => new Part();\n",
    );
}

const PYTHON: &str = "\
//- pyproject.toml
[project]
name = \"pkg\"
//- pkg/__init__.py
from .base import Base as PublicBase
//- pkg/base.py
class Base:
    def hello(self): return 1
//- pkg/use.py
from pkg import PublicBase
def a(): return PublicBase().hello()
";

const RUST: &str = "\
//- Cargo.toml
[package]
name = \"r\"
version = \"0.1.0\"
//- src/lib.rs
pub mod base;
pub mod usei;
pub use base::Item as PubItem;
//- src/base.rs
pub struct Item { pub name: String }
impl Item { pub fn new() -> Self { todo!() } }
//- src/usei.rs
use crate::PubItem;
pub fn a() { PubItem::new(); }
pub fn d() { crate::PubItem::new(); }
";

#[test]
fn python_and_rust_names_are_followed_through_what_renames_them() {
    check_needs(
        PYTHON,
        "pkg/use.py#a",
        "needs:\npkg/\n base.py 1 class Base, 2 method Base.hello\n",
    );
    check_users(
        PYTHON,
        "pkg/base.py#Base",
        "users:\npkg/\n use.py 2 def a(): return PublicBase().hello()\n",
    );
    for target in ["src/usei.rs#a", "src/usei.rs#d"] {
        check_needs(RUST, target, "needs:\nsrc/\n base.rs 1 class Item, 2 method Item.new\n");
    }
    // Two names for each other lead nowhere, and end.
    let circle = PYTHON.replace("class Base:\n", "from pkg import PublicBase as Base\nclass Other:\n");
    assert!(read_in(&circle, &asked("pkg/use.py#a")).to_text().starts_with("pkg/use.py\n"));
}
