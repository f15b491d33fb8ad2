//! Tests needs and users of declarations in languages other than TypeScript: through imports,
//! within packages, and through members of typed values.

use std::path::Path;

use portolan_index::map::{self, MapRequest};
use portolan_index::pool::on_threads;
use portolan_index::symbols::DeclarationStore;
use portolan_query::declarations::{LookRequest, NeedsMode, ReadRequest, look, read};
use portolan_query::search::{SearchContext, search_names};
use portolan_vfs::MemorySystem;
use portolan_wire::question::SearchQuestionV1;
use portolan_workspace::config;

/// A repository in memory: `//- path` starts a file.
fn repository(fixture: &str) -> (MemorySystem, config::Loaded, map::MapReport) {
    let system = MemorySystem::default();
    for file in fixture.split("//- ").skip(1) {
        let (path, text) = file.split_once('\n').unwrap();
        system.put(Path::new("/repo").join(path.trim()), text.to_owned());
    }
    let config = config::load(&system, Path::new("/repo")).unwrap();
    let request = MapRequest { config, threads: 1 };
    let map = map::build(&system, &request).unwrap();
    (system, request.config, map)
}

#[track_caller]
fn check_look(fixture: &str, target: &str, expected: &str) {
    let (system, config, map) = repository(fixture);
    let request = LookRequest { targets: vec![target.to_owned()], ..LookRequest::default() };
    let report = look(&system, &config, &map, &DeclarationStore::default(), &request).unwrap();
    assert_eq!(report.to_text(4_000), expected);
}

#[track_caller]
fn check_read(fixture: &str, target: &str, expected: &str) {
    let (system, config, map) = repository(fixture);
    let (targets, needs) = (vec![target.to_owned()], NeedsMode::Signatures);
    let request = ReadRequest { targets, needs, ..ReadRequest::default() };
    let report = read(&system, &config, &map, &DeclarationStore::default(), &request).unwrap();
    assert_eq!(report.to_text(), expected);
}

#[track_caller]
fn check_find(fixture: &str, name: &str, expected: &str) {
    let (system, config, _) = repository(fixture);
    let patterns = vec![name.to_owned()];
    let question = SearchQuestionV1 { patterns, names: true, ..SearchQuestionV1::default() };
    let report = on_threads(1, || search_names(SearchContext::new(&system, &config), &question))
        .unwrap()
        .unwrap();
    assert_eq!(report.body(1_000), expected);
}

const SHOP_PY: &str = "\
//- shop/__init__.py
from .cart import Cart
//- shop/cart.py
from . import money
from .item import Item as Thing, price_of

class Base:
    def log(self): pass

class Cart(Base):
    def __init__(self, owner: str):
        self.items: list[Thing] = []

    def total(self) -> money.Amount:
        self.log()
        sums = [price_of(it) for it in self.items]
        return money.Amount(sums[0].cents)
//- shop/item.py
from .money import Amount

class Item:
    name: str

def price_of(item: Item) -> Amount:
    return Amount(1)
//- shop/money.py
class Amount:
    def __init__(self, cents):
        self.cents = cents
//- main.py
from shop import Cart

def run():
    cart = Cart('me')
    return cart.total()
";

#[test]
fn python_names_lead_through_packages_and_members_by_what_is_annotated() {
    check_look(
        SHOP_PY,
        "shop/cart.py#Cart.total",
        "\
look shop/cart.py#Cart.total 1 use, certain; 5 needs
users:
./
 main.py run: 5 return cart.total()
needs:
shop/
 cart.py 5 method Base.log, 9 attribute Cart.items
 item.py 6 function price_of
 money.py 1 class Amount, 3 attribute Amount.cents
next: portolan read main.py#run --match total
",
    );
    check_find(SHOP_PY, "total", "shop/cart.py:11-14 method Cart.total\n");
}

#[test]
fn a_python_method_is_read_with_the_heads_of_what_it_needs() {
    check_read(
        SHOP_PY,
        "main.py:5",
        "\
main.py
 run 3-5
3\tdef run():
4\t    cart = Cart('me')
5\t    return cart.total()
shop/cart.py
4\tclass Base:
5\t    def log(self): pass
7\tclass Cart(Base):
8\t    def __init__(self, owner: str):
9\t        self.items: list[Thing] = []
10\t
11\t    def total(self) -> money.Amount:
… 3 lines
shop/item.py
3\tclass Item:
4\t    name: str
shop/money.py
1\tclass Amount:
2\t    def __init__(self, cents):
3\t        self.cents = cents
",
    );
}

const SHOP_RS: &str = "\
//- Cargo.toml
[package]
name = 'shop'
//- src/lib.rs
mod cart;
mod money;
pub use cart::Cart;
//- src/cart.rs
use crate::money::{self, Amount};

pub struct Cart {
    sums: Vec<Amount>,
}

impl Cart {
    pub fn total(&self) -> Option<Amount> {
        let first = self.sums.first()?;
        Some(money::twice(first.plus(Amount::new(1))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals() {
        let cart = Cart { sums: Vec::new() };
        assert!(cart.total().is_none());
    }
}
//- src/money.rs
pub struct Amount(u32);

impl Amount {
    pub fn new(cents: u32) -> Self {
        Amount(cents)
    }
    pub fn plus(&self, other: Self) -> Self {
        Self::new(self.0 + other.0)
    }
}

pub fn twice(amount: Amount) -> Amount {
    amount.plus(Amount::new(1))
}
";

#[test]
fn rust_names_lead_through_paths_and_members_through_impls() {
    check_look(
        SHOP_RS,
        "src/cart.rs#Cart.total",
        "\
look src/cart.rs#Cart.total 1 use, certain; 5 needs
users:
tests: 1 in src/
 cart.rs totals: 21 assert!(cart.total().is_none());
needs:
src/
 cart.rs 4 field Cart.sums
 money.rs 1 struct Amount, 4 method Amount.new, 7 .plus, 12 function twice
",
    );
    check_find(SHOP_RS, "Amount", "src/money.rs:1-1 struct Amount\n");
}

#[test]
fn a_rust_type_is_read_with_what_extends_it() {
    check_read(
        SHOP_RS,
        "Cart",
        "\
src/cart.rs
 Cart 3-5
3\tpub struct Cart {
4\t    sums: Vec<Amount>,
5\t}
7\timpl Cart {
8\t    pub fn total(&self) -> Option<Amount> {
… 3 lines
src/money.rs
1\tpub struct Amount(u32);
",
    );
}

const SHOP_GO: &str = "\
//- go.mod
module example.com/shop
//- cart.go
package shop

import \"example.com/shop/money\"

// Cart holds what is bought.
type Cart struct {
	sums []money.Amount
}

// Total is the sum.
func (c *Cart) Total() money.Amount {
	first, ok := c.first()
	if !ok {
		return money.New(0)
	}
	return first.Plus(limit)
}
//- first.go
package shop

import \"example.com/shop/money\"

const limit = 1

func (c *Cart) first() (money.Amount, bool) {
	return c.sums[0], true
}
//- money/money.go
package money

type Amount struct{ cents int }

func New(cents int) Amount { return Amount{cents: cents} }

func (a Amount) Plus(n int) Amount { return New(a.cents + n) }
//- cart_test.go
package shop

func use() { (&Cart{}).Total() }
";

#[test]
fn go_names_lead_through_packages_and_methods_of_other_files() {
    check_look(
        SHOP_GO,
        "cart.go#Cart.Total",
        "\
look cart.go#Cart.Total 1 use, certain; 6 needs
users:
tests: 1
 cart_test.go 3 func use() { (&Cart{}).Total() }
needs:
./
 cart.go 6 struct Cart
 first.go 5 variable limit, 7 method Cart.first
money/
 money.go 3 struct Amount, 5 function New, 7 method Amount.Plus
",
    );
}

const SHOP_JAVA: &str = "\
//- src/main/java/shop/Cart.java
package shop;

import shop.money.Amount;
import static shop.money.Sums.twice;

public class Cart extends Base {
  private final Amount first;

  /** The sum. */
  public Amount total(Item item) {
    log();
    return twice(first.plus(item.price()));
  }
}
//- src/main/java/shop/Base.java
package shop;

class Base {
  void log() {}
}
//- src/main/java/shop/Item.java
package shop;

import shop.money.Amount;

interface Item {
  Amount price();
}
//- src/main/java/shop/money/Amount.java
package shop.money;

public record Amount(int cents) {
  public Amount plus(Amount other) { return new Amount(cents + other.cents); }
}
//- src/main/java/shop/money/Sums.java
package shop.money;

public class Sums {
  public static Amount twice(Amount a) { return a.plus(a); }
}
//- src/main/java/shop/Main.java
package shop;

class Main {
  void run(Cart cart) { cart.total(null); }
}
";

#[test]
fn java_names_lead_to_types_of_the_package_imports_and_inherited_members() {
    check_look(
        SHOP_JAVA,
        "src/main/java/shop/Cart.java#Cart.total",
        "\
look src/main/java/shop/Cart.java#Cart.total 1 use, certain; 7 needs
users:
src/main/java/shop/
 Main.java 4 void run(Cart cart) { cart.total(null); }
needs:
src/main/java/shop/
 Base.java 4 method Base.log
 Cart.java 7 field Cart.first
 Item.java 5 interface Item, 6 method Item.price
src/main/java/shop/money/
 Amount.java 3 class Amount, 4 method Amount.plus
 Sums.java 4 method Sums.twice
",
    );
}

#[test]
fn a_language_that_is_not_read_is_said_to_be() {
    check_look(
        "//- src/App.swift\nimport Shop\n",
        "src/App.swift",
        "\
look src/App.swift 0 users, 0 needs
users: not known, imports of this language are not read
needs: not known, imports of this language are not read
",
    );
}

#[test]
fn what_a_notebook_runs_is_used_there() {
    let fixture = "//- tools.py\ndef clean(): pass\n//- a.ipynb\n{\"cells\": [{\"cell_type\": \"code\", \"source\": [\n\"%run tools.py\\n\",\n\"clean()\"\n]}]}\n";
    check_look(
        fixture,
        "tools.py#clean",
        "\
look tools.py#clean 1 use, certain; 0 needs
users:
./
 a.ipynb cell 1: 3 \"clean()\"
next: portolan read 'a.ipynb#cell 1' --match clean
",
    );
}

#[test]
fn getters_of_java_may_use_properties_of_kotlin_and_the_other_way_round() {
    let fixture = "//- src/a/User.kt\npackage a\n\nclass User(val name: String, var isOpen: Boolean)\n//- src/a/Use.java\npackage a;\n\nclass Use {\n  int getAge() { return 1; }\n  String f(User user) { user.setOpen(true); return user.getName(); }\n}\n//- src/a/age.kt\npackage a\n\nfun age(use: Use) = use.age\n";
    let reason = "~ by the name of a getter or setter\n";
    let use_of_java =
        " Use.java ~5 String f(User user) { user.setOpen(true); return user.getName(); }\n";
    for (target, line) in [
        ("src/a/User.kt#User.name", use_of_java),
        ("src/a/User.kt#User.isOpen", use_of_java),
        ("src/a/Use.java#Use.getAge", " age.kt ~3 fun age(use: Use) = use.age\n"),
    ] {
        let (system, config, map) = repository(fixture);
        let request = LookRequest { targets: vec![target.to_owned()], ..LookRequest::default() };
        let report = look(&system, &config, &map, &DeclarationStore::default(), &request).unwrap();
        let text = report.to_text(4_000);
        assert!(text.contains("no certain use, 1 possible"), "{text}");
        assert!(text.contains(line), "{text}");
        assert!(text.contains(reason), "{text}");
    }
}
