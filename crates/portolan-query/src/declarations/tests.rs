//! What is read, looked at and found in small repositories.

use std::path::Path;

use portolan_vfs::MemorySystem;

use portolan_index::symbols::DeclarationStore;

use super::*;
use crate::path::path;
use portolan_index::map::{self, MapReport, MapRequest};
use portolan_wire::question::PathQuestionV1;
use portolan_workspace::config::{self, Loaded};

/// A repository in memory: `//- path` begins a file.
fn repository(fixture: &str) -> (MemorySystem, Loaded, MapReport) {
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

pub(super) fn read_in(fixture: &str, request: &ReadRequest) -> ReadReport {
    let (system, config, map) = repository(fixture);
    ask(&system, &config, &map, request).unwrap()
}

pub(super) fn refused_in(fixture: &str, request: &ReadRequest) -> ReadError {
    let (system, config, map) = repository(fixture);
    ask(&system, &config, &map, request).unwrap_err()
}

/// How one declaration reaches another.
pub(super) fn path_in(fixture: &str, from: &str, to: &str) -> String {
    let (system, config, map) = repository(fixture);
    let question =
        PathQuestionV1 { from: from.to_owned(), to: to.to_owned(), ..PathQuestionV1::default() };
    path(&system, &config, &map, &DeclarationStore::default(), &question).unwrap().to_text()
}

/// Reads with nothing known before.
fn ask(
    system: &MemorySystem,
    config: &Loaded,
    map: &MapReport,
    request: &ReadRequest,
) -> Result<ReadReport, ReadError> {
    read(system, config, map, &DeclarationStore::default(), request)
}

/// A target with the signatures of what it needs, and what could not be resolved.
pub(super) fn asked(target: &str) -> ReadRequest {
    ReadRequest { needs: NeedsMode::Signatures, verbose: true, ..alone(target) }
}

/// A target as it is read where nothing else is said.
pub(super) fn alone(target: &str) -> ReadRequest {
    ReadRequest { targets: vec![target.to_owned()], ..ReadRequest::default() }
}

#[track_caller]
fn check(fixture: &str, target: &str, expected: &str) {
    assert_eq!(read_in(fixture, &asked(target)).to_text(), expected);
}

const SHOP: &str = "\
//- src/cart.ts
import { Item, priceOf } from './lib';
import type * as money from './money';

/** What is bought. */
export class Cart {
  items: Item[] = [];
  total(): money.Amount {
    return this.items.map((item) => priceOf(item).times(item.count));
  }
  clear() { this.items = []; }
}
//- src/lib/index.ts
export * from './item';
//- src/lib/item.ts
import { Amount } from '../money';
export interface Item {
  name: string;
  count: number;
}
export function priceOf(item: Item): Amount {
  const found = 1;
  return new Amount(found);
}
export const unused = 1;
//- src/money.ts
export class Amount {
  constructor(readonly cents: number) {}
  times(count: number): Amount {
    return new Amount(this.cents * count);
  }
}
";

#[test]
fn a_member_is_shown_whole_with_the_heads_of_what_it_needs() {
    check(
        SHOP,
        "src/cart.ts:8",
        "\
src/cart.ts
5\texport class Cart {
6\t  items: Item[] = [];
 Cart.total 7-9
7\t  total(): money.Amount {
8\t    return this.items.map((item) => priceOf(item).times(item.count));
9\t  }
src/lib/item.ts
2\texport interface Item {
3\t  name: string;
4\t  count: number;
6\texport function priceOf(item: Item): Amount {
… 3 lines
src/money.ts
1\texport class Amount {
2\t  constructor(readonly cents: number) {}
3\t  times(count: number): Amount {
… 2 lines
",
    );
}

#[test]
fn a_local_that_hides_an_import_is_not_that_import() {
    let text = read_in(
        "//- a.ts\nimport { b } from './b';\nexport function f(b: string) { return b.length }\n//- b.ts\nexport const b = 1;\n",
        &asked("a.ts#f"),
    )
    .to_text();
    assert_eq!(text, "a.ts\n f 2\n2\texport function f(b: string) { return b.length }\n");
}

#[test]
fn targets_are_places_names_and_members() {
    let (system, config, map) = repository(SHOP);
    let lines = |target: &str| {
        let mut request = asked(target);
        request.needs = NeedsMode::None;
        ask(&system, &config, &map, &request).map(|report| report.set.slices[0].lines.clone())
    };
    assert_eq!(lines("src/cart.ts#Cart.clear").unwrap(), [(10, 10)]);
    assert_eq!(lines("Cart").unwrap(), [(4, 11)], "with its doc comment");
    assert_eq!(lines("src/money.ts:1:14").unwrap(), [(1, 6)]);
    assert_eq!(lines("src/cart.ts:3-4").unwrap(), [(3, 4)], "lines are these lines");
    assert_eq!(lines("src/cart.ts:10-99").unwrap(), [(10, 11)], "as far as there are any");
    let error = |target: &str| lines(target).unwrap_err().to_string();
    assert_eq!(error("src/cart.ts#Crat"), "no declaration `Crat`");
    assert_eq!(error("src/crt.ts:1"), "no file `src/crt.ts` in the map");
    assert_eq!(lines("src/cart.ts:3").unwrap(), [(1, 11)], "between declarations, the lines there");
}

#[test]
fn a_file_that_is_excluded_is_said_to_be_hidden() {
    let (system, config, map) = repository(
        "//- stan.config.json\n{\"stan-core\":{\"excludes\":[\"hidden\"]}}\n//- src/a.ts\nimport '../hidden/b';\n\
         //- hidden/b.ts\nexport const b = 1;\n//- hidden/c.ts\nexport const c = 1;\n",
    );
    for target in ["hidden/b.ts", "hidden/c.ts"] {
        let error = ask(&system, &config, &map, &asked(target)).unwrap_err();
        let told = format!("hidden by `excludes` of the configuration: `{target}`");
        assert_eq!(error.to_string(), told);
    }
}

#[test]
fn errors_carry_the_next_call() {
    let (system, config, map) = repository(SHOP);
    let similar = |target: &str| match ask(&system, &config, &map, &asked(target)) {
        Err(ReadError::Target(
            TargetError::NoFile { similar, .. } | TargetError::NoDeclaration { similar, .. },
        )) => similar,
        other => panic!("{other:?}"),
    };
    assert_eq!(similar("src/crat.ts"), ["src/cart.ts"]);
    assert_eq!(similar("src/cart.ts#Crat"), ["src/cart.ts#Cart"]);
    assert_eq!(similar("pricesOf"), ["src/lib/item.ts#priceOf"]);
}

#[test]
fn a_larger_budget_shows_all_that_a_smaller_one_does() {
    let mut before: Vec<(String, u32)> = Vec::new();
    let (system, config, map) = repository(SHOP);
    for budget in (1..=300).chain([400, 8_000]) {
        let mut request = asked("src/cart.ts#Cart.total");
        request.slices.budget = budget;
        let report = match ask(&system, &config, &map, &request) {
            Ok(report) => report,
            Err(ReadError::TooSmall { least, .. }) if before.is_empty() && budget < least => {
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let text = report.to_text();
        let tokens =
            portolan_index::token_counts::Tokenizer::O200kBase.count(text.as_bytes()).unwrap();
        assert!(tokens <= budget, "{tokens} of {budget}: {text}");
        let set = report.set;
        let mut lines = Vec::new();
        for slice in &set.slices {
            for (first, last) in &slice.lines {
                lines.extend((*first..=*last).map(|line| (slice.file.clone(), line)));
            }
        }
        assert!(before.iter().all(|line| lines.contains(line)), "{budget}");
        before = lines;
    }
    assert_eq!(before.len(), 12);
}

/// The lines that are shown of the first file.
fn first_lines(fixture: &str, request: &ReadRequest) -> Vec<(u32, u32)> {
    read_in(fixture, request).set.slices[0].lines.clone()
}

#[test]
fn the_line_that_was_asked_about_comes_first_and_what_does_not_fit_is_told() {
    let body: String = (2..=60).map(|at| format!("  say('this is number {at}');\n")).collect();
    let fixture = format!("//- en.ts\nexport function words() {{\n{body}}}\n");
    let mut request = alone("en.ts:40");
    request.slices.budget = 80;
    assert_eq!(first_lines(&fixture, &request), [(40, 40)]);
    let text = read_in(&fixture, &request).to_text();
    assert_eq!(
        text,
        "en.ts\n words 1-61\n… 39 lines\n40\t  say('this is number 40');\n… 21 lines\n\
         … left out: read en.ts:1-39 en.ts:41-61, or a larger budget\n"
    );
    request.slices.budget = 200;
    assert_eq!(first_lines(&fixture, &request), [(1, 1), (37, 43), (61, 61)]);
    request.slices.budget = 20;
    let (system, config, map) = repository(&fixture);
    let error = ask(&system, &config, &map, &request).unwrap_err().to_string();
    assert!(
        error.starts_with("a budget of 20 shows nothing of `en.ts:40`: the least is "),
        "{error}"
    );
}

#[test]
fn the_bound_that_cuts_is_named() {
    let last = |request: &ReadRequest| {
        let text = read_in(SHOP, request).to_text();
        text.lines().last().unwrap_or_default().to_owned()
    };
    let mut request = asked("src/cart.ts#Cart.total");
    request.slices.max_nodes = Some(1);
    assert_eq!(
        last(&request),
        "… 5 more declarations that this leads to: a larger max-nodes shows more"
    );
    assert_eq!(read_in(SHOP, &request).to_wire().bounds, ["max-nodes"]);
    let mut request = asked("src/cart.ts#Cart.total");
    request.slices.max_bytes = Some(200);
    assert!(last(&request).ends_with(": a larger max-bytes shows more"), "{}", last(&request));
    assert!(read_in(SHOP, &request).set.text.len() <= 200);
    request.slices.max_bytes = Some(10);
    let (system, config, map) = repository(SHOP);
    let error = ask(&system, &config, &map, &request).unwrap_err().to_string();
    assert_eq!(error, "max-bytes 10 shows nothing of `src/cart.ts#Cart.total`: the least is 68");
}

#[test]
fn what_is_needed_is_shown_whole_or_not_at_all_where_that_is_asked_for() {
    let mut request = asked("src/cart.ts#Cart.total");
    request.needs = NeedsMode::Full;
    let text = read_in(SHOP, &request).to_text();
    assert!(text.contains("  return new Amount(found);\n"), "{text}");
    request.needs = NeedsMode::None;
    assert_eq!(read_in(SHOP, &request).set.slices.len(), 1);
}

#[test]
fn an_enclosure_is_the_member_the_declaration_or_the_file() {
    let mut request = asked("src/cart.ts:8");
    request.needs = NeedsMode::None;
    assert_eq!(first_lines(SHOP, &request), [(7, 9)]);
    request.enclosure = Enclosure::Decl;
    assert_eq!(first_lines(SHOP, &request), [(4, 11)]);
    request.enclosure = Enclosure::Module;
    assert_eq!(first_lines(SHOP, &request), [(1, 11)], "with its imports");
}

#[test]
fn a_closure_of_types_or_imports_leaves_the_others_out() {
    let mut request = asked("src/cart.ts#Cart.total");
    request.slices.closure = Closure::Types;
    let files = |request: &ReadRequest| {
        let report = read_in(SHOP, request).to_wire();
        let files: Vec<String> = report.slices.iter().map(|slice| slice.file.clone()).collect();
        (files.join(" "), (report.omitted.locals, report.omitted.types, report.omitted.imports))
    };
    assert_eq!(files(&request), ("src/cart.ts src/lib/item.ts".to_owned(), (true, false, true)));
    request.slices.closure = Closure::Imports;
    let (shown, omitted) = files(&request);
    assert_eq!(
        (shown.as_str(), omitted),
        ("src/cart.ts src/lib/item.ts src/money.ts", (true, true, false))
    );
}

#[test]
fn a_file_that_declares_nothing_is_shown_with_what_it_passes_on() {
    let request = ReadRequest { needs: NeedsMode::Names, ..alone("src/lib/index.ts") };
    assert_eq!(
        read_in(SHOP, &request).to_text(),
        "src/lib/index.ts\n1\texport * from './item';\nuses: src/lib/item.ts Item 2, priceOf 6, unused 10\n"
    );
    check(
        SHOP,
        "src/lib/index.ts",
        "\
src/lib/index.ts
1\texport * from './item';
src/lib/item.ts
2\texport interface Item {
3\t  name: string;
4\t  count: number;
6\texport function priceOf(item: Item): Amount {
… 3 lines
10\texport const unused = 1;
",
    );
    let text = "//- a.md\n# A\n\nText.\n//- b.json\n{\n  \"b\": 1\n}\n";
    check(text, "a.md", "a.md\n1\t# A\n2\t\n3\tText.\n");
    let mut request = asked("b.json:2");
    request.slices.budget = 45;
    let shown = read_in(text, &request).to_text();
    assert!(shown.starts_with("b.json\n") && shown.contains("2\t  \"b\": 1\n"), "{shown}");
}

#[test]
fn files_without_text_are_said_to_have_none() {
    let (system, config, map) = repository("//- a.png\n\0\u{1}\n");
    let error = ask(&system, &config, &map, &asked("a.png")).unwrap_err();
    assert_eq!(error.to_string(), "`a.png` holds no text that can be shown");
}

const NAMES: &str = "\
//- src/def.ts
class Own { #priv = 1; pub = 2 }
export { Own as renamed };
export default function () { return 1 }
//- src/barrel.ts
export { Own2 as Sub } from './own';
export * as all from './own';
//- src/own.ts
export class Own2 { m() { return 1 } }
export namespace Album { export namespace Label { export const text = 1 } }
export function over(a: 1): 1;
export function over(a: 2): 2;
export function over(a: unknown) { return a }
";

#[test]
fn names_are_those_of_exports_too_and_go_as_deep_as_declarations_do() {
    let (system, config, map) = repository(NAMES);
    let found = |target: &str| {
        let mut request = asked(target);
        request.needs = NeedsMode::None;
        let set = ask(&system, &config, &map, &request)
            .unwrap_or_else(|error| panic!("{target}: {error}"))
            .set;
        format!("{} {:?}", set.slices[0].file, set.slices[0].lines)
    };
    for (target, expected) in [
        ("src/def.ts#renamed", "src/def.ts [(1, 1)]"),
        ("src/def.ts#default", "src/def.ts [(3, 3)]"),
        ("src/def.ts#Own.#priv", "src/def.ts [(1, 1)]"),
        ("src/barrel.ts#Sub", "src/own.ts [(1, 1)]"),
        ("src/barrel.ts#Sub.m", "src/own.ts [(1, 1)]"),
        ("src/barrel.ts#all.Own2", "src/own.ts [(1, 1)]"),
        ("src/own.ts#Album.Label.text", "src/own.ts [(2, 2)]"),
        ("/repo/src/own.ts#Own2", "src/own.ts [(1, 1)]"),
        ("./src/own.ts:1", "src/own.ts [(1, 1)]"),
    ] {
        assert_eq!(found(target), expected, "{target}");
    }
    let error = ask(&system, &config, &map, &asked("src/own.ts#ovr")).unwrap_err();
    let ReadError::Target(target) = error else { panic!("{error}") };
    assert_eq!(target.next_call(), "nearest: `src/own.ts#over`");
}

#[test]
fn targets_are_seen_from_the_folder_that_the_user_is_in() {
    let (system, config, map) = repository(NAMES);
    let config = Loaded { here: "src".to_owned(), ..config };
    for target in ["own.ts#Own2", "./own.ts:1", "src/own.ts#Own2"] {
        let report = ask(&system, &config, &map, &asked(target)).unwrap();
        assert_eq!(report.set.slices[0].file, "src/own.ts", "{target}");
    }
}

#[test]
fn users_take_a_part_of_the_budget_and_those_left_out_are_counted() {
    let read = |count: usize| {
        let each = (0..count).map(|at| format!("export const use{at} = () => a();\n"));
        let uses: String = each.collect();
        let fixture = format!(
            "//- a.ts\nexport const a = () => 1;\n//- b.ts\nimport {{ a }} from './a';\n{uses}"
        );
        let mut request = asked("a.ts#a");
        (request.users, request.slices.budget) = (true, 400);
        let text = read_in(&fixture, &request).to_text();
        let tokens =
            portolan_index::token_counts::Tokenizer::O200kBase.count(text.as_bytes()).unwrap();
        assert!(tokens <= 400, "{tokens}: {text}");
        text
    };
    let few = read(3);
    assert!(
        few.ends_with("3 uses, certain\nusers:\n./\n b.ts 2 export const use0 = () => a();\n  3 export const use1 = () => a();\n  4 export const use2 = () => a();\n"),
        "{few}"
    );
    let many = read(600);
    assert!(many.contains("\n600 uses, certain\nusers:\n./ "), "{many}");
    assert!(many.contains(" more: a larger budget"), "{many}");
}

#[test]
fn a_closure_leaves_categories_out_and_says_what_is_missing() {
    let mut request = asked("src/cart.ts#Cart.total");
    request.slices.closure = Closure::Locals;
    let set = read_in(SHOP, &request).set;
    assert_eq!(set.slices.len(), 1);
    assert_eq!(set.missing.imports, ["Amount", "count", "priceOf", "times"]);
    assert_eq!(set.missing.types, ["count"]);
}

#[test]
fn of_many_members_only_those_that_are_named_are_shown() {
    let many: String = (0..20).map(|at| format!("  m{at}: string;\n")).collect();
    let fixture = format!(
        "//- a.ts\nimport type {{ Big }} from './big';\nexport const f = (big: Big) => big.m7;\n//- big.ts\nexport interface Big {{\n{many}}}\n"
    );
    check(
        &fixture,
        "a.ts#f",
        "a.ts\n f 2\n2\texport const f = (big: Big) => big.m7;\nbig.ts\n1\texport interface Big {\n… 7 lines\n9\t  m7: string;\n",
    );
}

/// A file that may not be shown.
fn secret_file(path: &str) -> String {
    // Made up on the spot: no key is kept here.
    let mut seed = 7u32;
    let mut letter = || {
        seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        char::from(b"ABCDEFGHabcdefgh0123456789+/"[(seed >> 16) as usize % 28])
    };
    let body: String =
        (0..12).map(|_| (0..64).map(|_| letter()).chain(['\n']).collect::<String>()).collect();
    let kind = ["RSA", "PRIVATE", "KEY"].join(" ");
    format!("//- {path}\nexport const k = `-----BEGIN {kind}-----\n{body}-----END {kind}-----`;\n")
}

#[test]
fn secrets_do_not_leave() {
    let user = "//- a.ts\nimport { k } from './k';\nexport const f = () => k;\n";
    let text = read_in(&[user, &secret_file("k.ts")].concat(), &asked("a.ts#f")).to_text();
    assert!(!text.contains("PRIVATE"), "{text}");
}

#[test]
fn a_file_that_may_hold_secrets_is_said_to_be_denied() {
    let (system, config, map) = repository(&secret_file("src/keys.ts"));
    for target in ["src/keys.ts", "src/keys.ts:1", "src/keys.ts#k"] {
        let error = ask(&system, &config, &map, &asked(target)).unwrap_err();
        let expected = "`src/keys.ts` is denied: it may hold secrets (rule `private-key`)";
        assert_eq!(error.to_string(), expected, "{target}");
    }
}

pub(super) fn seen_in(fixture: &str, request: &LookRequest) -> LookReport {
    let (system, config, map) = repository(fixture);
    let store = DeclarationStore::default();
    look(&system, &config, &map, &store, request).unwrap()
}

pub(super) fn look_in(fixture: &str, request: &LookRequest, budget: u64) -> String {
    seen_in(fixture, request).to_text(budget)
}

pub(super) fn look_at(target: &str) -> LookRequest {
    LookRequest { targets: vec![target.to_owned()], ..LookRequest::default() }
}

#[test]
fn a_file_and_a_declaration_are_looked_at_both_ways() {
    assert_eq!(
        look_in(SHOP, &look_at("src/lib/item.ts"), 4_000),
        "look src/lib/item.ts 2 users, 1 need\nusers:\nsrc/ cart.ts~ lib/index.ts\nneeds:\nsrc/ money.ts\n"
    );
    assert_eq!(
        look_in(SHOP, &look_at("src/lib/item.ts#priceOf"), 4_000),
        "\
look src/lib/item.ts#priceOf 1 use, certain; 2 needs
users:
src/
 cart.ts Cart.total: 8 return this.items.map((item) => priceOf(item).times(item.count));
needs:
src/
 money.ts 1 class Amount
src/lib/
 item.ts 2 interface Item
next: portolan read src/cart.ts#Cart.total --match priceOf
"
    );
}

#[test]
fn a_package_is_who_imports_it_also_where_its_types_are_declared_here() {
    let users: String = (0..4)
        .map(|at| format!("//- src/a{at}.tsx\nimport {{ useState }} from 'react';\nexport const a{at} = useState;\n"))
        .collect();
    let declared = "//- types.d.ts\nimport 'react';\ndeclare module 'react' {\n  interface Attributes { css?: string }\n}\n";
    let text = look_in(&format!("{declared}{users}"), &look_at("react"), 4_000);
    assert_eq!(
        text,
        "look react 5 users\nusers:\n./ types.d.ts\nsrc/ a0.tsx a1.tsx a2.tsx a3.tsx\nalso of this name: types.d.ts#react\n"
    );
    let alone = look_in(declared, &look_at("types.d.ts#react"), 4_000);
    assert!(alone.starts_with("look types.d.ts#react "), "{alone}");
}

#[test]
fn uses_in_translations_are_counted_after_those_in_code() {
    let of = |language: &str| {
        format!("//- locale/{language}/formats.py\nfrom shop.a import made\nFORMAT = made(1)\n")
    };
    let translations: String = ["ar", "de", "en", "pt_BR"].map(of).concat();
    let code = "//- shop/__init__.py\n//- shop/a.py\ndef made(x):\n    return x\n//- shop/use.py\nfrom shop.a import made\n\n\ndef use():\n    return made(2)\n";
    let text = look_in(&format!("{code}{translations}"), &look_at("shop/a.py#made"), 4_000);
    assert!(text.contains("users:\nshop/\n use.py use: 5 return made(2)\n"), "{text}");
    assert!(text.contains("\ntranslations: 4 in locale/, 4 files\n"), "{text}");
}

#[test]
fn what_is_behind_is_seen_with_more_depth() {
    let deep = LookRequest { depth: 2, ..look_at("src/cart.ts") };
    assert_eq!(
        look_in(SHOP, &deep, 4_000),
        "look src/cart.ts 0 users, 3 needs\nusers: none of 4 files\nneeds:\nsrc/ money.ts:t\nsrc/lib/ index.ts item.ts~\n"
    );
    let deep = LookRequest { depth: 2, side: Side::Users, ..look_at("src/money.ts#Amount") };
    let text = look_in(SHOP, &deep, 4_000);
    assert!(text.contains("users:\n") && text.contains("users, 2 away:\n"), "{text}");
}

#[test]
fn an_empty_list_says_what_was_searched() {
    let check = |fixture: &str, target: &str, end: &str| {
        let text = look_in(fixture, &look_at(target), 4_000);
        assert!(text.ends_with(end), "{text}");
    };
    check(SHOP, "src/lib/item.ts#unused", "users: none: no other code of 4 files has the name\n");
    check(
        SHOP,
        "src/money.ts",
        "users:\nsrc/ cart.ts:t lib/item.ts\nneeds: none: it imports nothing\n",
    );
    let broken = "//- a.ts\nexport const a = 1;\n//- b.ts\nimport { = ;\n//- n.txt\nhello\n";
    check(
        broken,
        "a.ts",
        "users: none of 3 files; not sure: 1 could not be read whole\nneeds: none: it imports nothing\n",
    );
    check(
        broken,
        "n.txt",
        "users: none of 3 files imports it; who reads it by its path is not known; not sure: 1 could not be read whole\nneeds: not known: what files of this kind need is not read\n",
    );
}

#[test]
fn a_look_keeps_to_its_budget_and_counts_what_it_leaves_out() {
    let imports: String = (0..200).map(|at| format!("import './m{at}';\n")).collect();
    let files: String = (0..200).map(|at| format!("//- src/m{at}.ts\nexport {{}};\n")).collect();
    let fixture = format!("//- src/a.ts\n{imports}{files}");
    let text = look_in(&fixture, &look_at("src/a.ts"), 300);
    assert!(
        portolan_index::token_counts::Tokenizer::O200kBase.count(text.as_bytes()).unwrap() <= 300
    );
    assert!(text.starts_with("look src/a.ts 0 users, 200 needs\n"), "{text}");
    let shown = text.matches(".ts ").count() + text.matches(".ts\n").count() - 1;
    assert!(text.contains(&format!("… {} more: ", 200 - shown)), "{text}");
}

const INSTALLED: &str = "\
//- .gitignore
node_modules
//- a.ts
import { make, type Options } from 'lib';
export const a = (options: Options) => make(options).text;
//- node_modules/lib/package.json
{\"name\": \"lib\", \"version\": \"1.0.0\", \"types\": \"index.d.ts\"}
//- node_modules/lib/index.d.ts
export { Options } from './options';
import { Options } from './options';
export interface Made { text: string }
export declare function make(options: Options): Made;
export declare function other(): void;
//- node_modules/lib/options.d.ts
export interface Options { size: number }
";

#[test]
fn what_comes_from_an_installed_package_is_shown_by_its_declaration_files() {
    check(
        INSTALLED,
        "a.ts#a",
        "\
a.ts
 a 2
2\texport const a = (options: Options) => make(options).text;
node_modules/lib/index.d.ts
3\texport interface Made { text: string }
4\texport declare function make(options: Options): Made;
node_modules/lib/options.d.ts
1\texport interface Options { size: number }
",
    );
}

#[test]
fn what_is_excluded_is_not_shown_though_an_import_leads_there() {
    let excluded = "//- stan.config.yml\nstan-core:\n  excludes: ['src/hidden/**']\n\
        //- src/a.ts\nimport { h } from './hidden/h';\nexport const a = () => h();\n\
        //- src/hidden/h.ts\nexport function h() { return 1; }\n";
    check(excluded, "src/a.ts#a", "src/a.ts\n a 2\n2\texport const a = () => h();\n");
}

#[test]
fn scripts_in_components_are_read_as_files_of_their_own_language() {
    let user = "//- use.ts\nimport { size } from './box';\nexport const use = () => size(1);\n\
        //- box.ts\nexport function size(n: number): number { return n; }\n";
    let script = "import { size } from './box';\nconst twice = (n: number) => size(n) * 2;\n";
    for (path, text) in [
        ("a.vue", format!("<template><p/></template>\n<script lang=\"ts\">\n{script}</script>\n")),
        ("a.svelte", format!("<p>hi</p>\n<script lang=\"ts\">\n{script}</script>\n")),
        ("a.astro", format!("---\n// Made on the server.\n{script}---\n<p>hi</p>\n")),
    ] {
        let fixture = format!("{user}//- {path}\n{text}");
        let expected = format!(
            "{path}\n twice 4\n4\tconst twice = (n: number) => size(n) * 2;\n\
             box.ts\n1\texport function size(n: number): number {{ return n; }}\n"
        );
        check(&fixture, &format!("{path}#twice"), &expected);
        check(&fixture, &format!("{path}:4"), &expected);
    }
}

#[test]
fn a_package_is_looked_at_by_the_name_that_files_import() {
    let fixture = "//- a.ts\nimport { test } from 'vitest';\nimport fs from 'node:fs';\n//- b.ts\nimport { defineConfig } from 'vitest/config';\n//- c.ts\nimport x from 'vitestlike';\n";
    let users = |target: &str| {
        let request = LookRequest { targets: vec![target.to_owned()], ..LookRequest::default() };
        seen_in(fixture, &request).to_text(1_000)
    };
    assert_eq!(users("vitest"), "look vitest 2 users\nusers:\n./ a.ts b.ts\n");
    assert_eq!(users("vitest/config"), "look vitest/config 1 user\nusers:\n./ b.ts\n");
    assert_eq!(users("fs"), "look fs 1 user\nusers:\n./ a.ts\n");
}

#[test]
fn a_word_is_a_file_of_that_name_before_a_folder() {
    let fixture = "//- lib/cancel/cancel.ts\nexport default function handler() {}\n//- lib/cancel/cancel.test.ts\nimport cancel from './cancel';\n//- app.ts\nimport cancel from './lib/cancel/cancel';\ncancel();\n";
    let request = LookRequest {
        targets: vec!["cancel".to_owned()],
        side: Side::Users,
        ..LookRequest::default()
    };
    let text = seen_in(fixture, &request).to_text(1_000);
    assert!(text.starts_with("look lib/cancel/cancel.ts 2 users\n"), "{text}");
}
