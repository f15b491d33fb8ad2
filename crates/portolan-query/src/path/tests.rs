//! How one declaration reaches another, in small repositories.

use std::path::Path;

use portolan_vfs::MemorySystem;

use super::path;
use portolan_index::map::{self, MapRequest};
use portolan_index::symbols::DeclarationStore;
use portolan_wire::question::PathQuestionV1;
use portolan_workspace::config;

const SHOP: &str = "\
//- src/cart.ts
import { priceOf } from './price';
export class Cart {
  total() {
    return this.sum();
  }
  sum() {
    return priceOf('a');
  }
  clear() {}
}
//- src/price.ts
import { Store } from './store';
export function priceOf(name: string) {
  return load(name, new Store());
}
function load(name: string, store: Store) {
  return store.get(name);
}
export function guess(store) {
  return store.get('a');
}
export function label(store: Store) {
  return [guess];
}
//- src/store.ts
export class Store {
  get(name: string) { return name.length; }
}
//- src/limits.ts
export const most = 3;
export const least = 1;
//- lib/a.rb
def a
  b
end
def b
end
";

fn check(from: &str, to: &str, expected: &str) {
    let system = MemorySystem::default();
    for file in SHOP.split("//- ").skip(1) {
        let (path, text) = file.split_once('\n').unwrap();
        system.put(Path::new("/repo").join(path.trim()), text.to_owned());
    }
    let config = config::load(&system, Path::new("/repo")).unwrap();
    let request = MapRequest { config, threads: 1 };
    let map = map::build(&system, &request).unwrap();
    let asked =
        PathQuestionV1 { from: from.to_owned(), to: to.to_owned(), ..PathQuestionV1::default() };
    let store = DeclarationStore::default();
    let report = path(&system, &request.config, &map, &store, &asked).unwrap();
    assert_eq!(report.to_text(), expected, "{from} to {to}");
}

#[test]
fn each_step_has_the_line_that_leads_to_the_next() {
    check(
        "src/cart.ts#Cart.total",
        "src/store.ts#Store.get",
        "\
4 steps
Cart.total src/cart.ts:4 return this.sum();
Cart.sum src/cart.ts:7 return priceOf('a');
priceOf src/price.ts:3 return load(name, new Store());
load src/price.ts:6 return store.get(name);
Store.get src/store.ts:2
",
    );
}

#[test]
fn a_class_is_all_that_it_does() {
    check(
        "src/cart.ts#Cart",
        "src/price.ts#priceOf",
        "1 step\nCart.sum src/cart.ts:7 return priceOf('a');\npriceOf src/price.ts:2\n",
    );
}

#[test]
fn a_member_of_an_unknown_value_is_a_step_that_is_not_certain() {
    check(
        "src/price.ts#guess",
        "src/store.ts#Store.get",
        "1 step\nguess src/price.ts:9 return store.get('a');\n~Store.get src/store.ts:2\n~ the step to it is not certain\n",
    );
}

#[test]
fn where_there_is_no_path_the_answer_says_what_was_visited() {
    check(
        "src/store.ts#Store.get",
        "src/cart.ts#Cart",
        "no path found from src/store.ts#Store.get to src/cart.ts#Cart; declarations visited: 1, \
         names in them that could not be resolved: 0\n\
         the other way round: 3 steps: portolan path src/cart.ts#Cart src/store.ts#Store.get\n",
    );
}

#[test]
fn no_path_is_no_proof_where_calls_are_not_followed() {
    check(
        "lib/a.rb#a",
        "lib/a.rb#b",
        "no path found from lib/a.rb#a to lib/a.rb#b; declarations visited: 1, names in them that could not be resolved: 0\n\
         this proves nothing: what declarations of lib/a.rb call is not followed\n",
    );
}

#[test]
fn a_file_that_refers_to_nothing_is_followed_all_the_same() {
    check(
        "src/limits.ts#most",
        "src/limits.ts#least",
        "no path found from src/limits.ts#most to src/limits.ts#least; declarations visited: 1, \
         names in them that could not be resolved: 0\n",
    );
}

#[test]
fn a_way_that_is_not_of_calls_alone_says_how_each_step_is_made() {
    check(
        "src/price.ts#label",
        "src/store.ts#Store",
        "1 step, not of calls alone\nlabel src/price.ts:11 export function label(store: Store) {\ntype: Store src/store.ts:1\n",
    );
    check(
        "src/price.ts#label",
        "src/price.ts#guess",
        "1 step, not of calls alone\nlabel src/price.ts:12 return [guess];\nnamed: guess src/price.ts:8\n",
    );
}

#[test]
fn calls_come_before_types() {
    // `load` takes a `Store`, and `priceOf` makes one.
    check(
        "src/price.ts#priceOf",
        "src/store.ts#Store",
        "1 step\npriceOf src/price.ts:3 return load(name, new Store());\nStore src/store.ts:1\n",
    );
}
