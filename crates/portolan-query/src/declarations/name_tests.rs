//! Names as commands print them and as people write them, and what is shown of the place of a line.

use super::tests::{alone, look_at, look_in, path_in, read_in};
use super::{ReadError, ReadRequest, TargetError};

const PRINTED: &str = "\
//- lib/parser.rb
module Rack
  module Multipart
    class Parser
      def handle_mime_head
        1
      end
    end
  end
end
//- src/base.ts
export class Hono {
  #dispatch(request: Request) {
    return request;
  }
}
//- admin.py
def items_for_result(cl):
    def link_in_col(field):
        return cl.links(field)
    return link_in_col(cl)
//- tests/other.py
def unrelated():
    return 1
";

#[track_caller]
fn check(fixture: &str, target: &str, heading: &str) {
    let text = read_in(fixture, &alone(target)).to_text();
    assert!(text.contains(&format!("\n {heading}\n")), "{target}: {text}");
    assert!(!text.contains("no declaration"), "{target}: {text}");
}

#[track_caller]
fn refused(fixture: &str, target: &str) -> TargetError {
    match super::tests::refused_in(fixture, &alone(target)) {
        ReadError::Target(error) => error,
        other => panic!("{target}: {other}"),
    }
}

#[test]
fn a_name_that_one_command_prints_is_found_by_all() {
    let ruby = "Rack.Multipart.Parser.handle_mime_head 4-6";
    for target in [
        "handle_mime_head",
        "Parser.handle_mime_head",
        "Multipart.Parser.handle_mime_head",
        "Rack.Multipart.Parser.handle_mime_head",
        "Rack::Multipart::Parser#handle_mime_head",
        "Parser#handle_mime_head",
        "lib/parser.rb#handle_mime_head",
        "lib/parser.rb#Parser.handle_mime_head",
        "lib/parser.rb#Rack.Multipart.Parser.handle_mime_head",
    ] {
        check(PRINTED, target, ruby);
    }
    for target in
        ["Hono.#dispatch", "Hono.dispatch", "src/base.ts#dispatch", "src/base.ts##dispatch"]
    {
        check(PRINTED, target, "Hono.#dispatch 2-4");
    }
    for target in [
        "link_in_col",
        "items_for_result.link_in_col",
        "admin.py#link_in_col",
        "admin.py#items_for_result.link_in_col",
    ] {
        check(PRINTED, target, "items_for_result.link_in_col 2-3");
    }
}

#[test]
fn look_and_path_take_the_same_names() {
    let target = "items_for_result.link_in_col";
    let seen = look_in(PRINTED, &look_at(target), 1_000);
    assert!(seen.starts_with(&format!("look {target} 1 use, certain")), "{seen}");
    assert!(seen.contains("4 return link_in_col(cl)"), "{seen}");
    let found = path_in(PRINTED, "items_for_result", "link_in_col()");
    assert!(found.contains("1 step\n"), "{found}");
}

#[test]
fn a_local_name_is_meant_only_where_nothing_else_has_it() {
    let fixture = format!("{PRINTED}//- more.py\ndef link_in_col(field):\n    return 2\n");
    check(&fixture, "link_in_col", "link_in_col 1-2");
    check(&fixture, "items_for_result.link_in_col", "items_for_result.link_in_col 2-3");
}

const WRITTEN: &str = "\
//- db/models/sql/where.py
class WhereNode:
    def as_sql(self, compiler):
        return compiler

    def add(self, node):
        return node
//- db/models/lookups.py
class Exact:
    def as_sql(self, compiler):
        return 1

def report(found):
    return found
//- crates/my-query/src/search/group.rs
pub struct Ignore;
impl Ignore {
    pub fn matched(&self) {}
}
pub fn report() {}
//- mux.go
package chi

type Mux struct{}

func (mx *Mux) Use(x int) int {
\treturn x
}
";

#[test]
fn what_people_write_around_a_name_is_taken_off() {
    for target in [
        "db.models.sql.where.WhereNode.as_sql",
        "where.WhereNode.as_sql",
        "where.as_sql",
        "WhereNode::as_sql",
        "db::models::WhereNode::as_sql",
        "WhereNode.as_sql()",
        "WhereNode.as_sql(compiler)",
        "WhereNode.as_sql:",
        "db/models/sql/where.py#as_sql(self, compiler)",
        "db/models/sql/where.py#def as_sql(self, compiler):",
        "db/models/sql/where.py as_sql",
        "where.py WhereNode.as_sql",
        "db/models/sql/where.py:3:",
        "db/models/sql/where.py:3:        return compiler",
        "db/models/sql/where.py 3",
    ] {
        check(WRITTEN, target, "WhereNode.as_sql 2-3");
    }
    for target in ["class WhereNode", "class WhereNode:", "sql.where.WhereNode"] {
        check(WRITTEN, target, "WhereNode 1-6");
    }
    for target in [
        "group::report",
        "my_query::search::group::report",
        "crate::search::group::report",
        "search.group.report",
    ] {
        check(WRITTEN, target, "report 5");
    }
    check(WRITTEN, "def report", "report 5-6");
    check(WRITTEN, "impl Ignore", "Ignore 2-4");
    check(WRITTEN, "struct Ignore", "Ignore 1");
    check(WRITTEN, "func (mx *Mux) Use(x int) int {", "Mux.Use 5-7");
    let lines = read_in(WRITTEN, &alone("db/models/sql/where.py:2-3")).to_text();
    assert_eq!(read_in(WRITTEN, &alone("db/models/sql/where.py#2-3")).to_text(), lines);
    assert_eq!(read_in(WRITTEN, &alone("db/models/sql/where.py 2-3")).to_text(), lines);
}

#[test]
fn a_package_that_no_folder_has_is_told() {
    let text = read_in(WRITTEN, &alone("chi.Mux.Use")).to_text();
    let note = "(no declaration `chi.Mux.Use`; the only one of that name: `mux.go#Mux.Use`)\n";
    assert!(text.starts_with(note) && text.contains("\n Mux.Use 5-7\n"), "{text}");
    let seen = look_in(WRITTEN, &look_at("chi.Mux.Use"), 1_000);
    assert!(seen.starts_with("look mux.go#Mux.Use "), "{seen}");
}

#[test]
fn several_targets_in_one_word_are_all_read() {
    for target in [
        "WhereNode.{as_sql,add}",
        "WhereNode::{as_sql,add}",
        "WhereNode.as_sql,WhereNode.add",
        "db/models/sql/where.py#WhereNode.as_sql,WhereNode.add",
        "db/models/sql/where.py#as_sql, add",
    ] {
        let text = read_in(WRITTEN, &alone(target)).to_text();
        assert!(text.contains(" WhereNode.as_sql 2-3\n"), "{target}: {text}");
        assert!(text.contains(" WhereNode.add 5-6\n"), "{target}: {text}");
        assert!(!text.contains("only one"), "{target}: {text}");
    }
    let both = read_in(WRITTEN, &alone("{WhereNode,Exact}.as_sql")).to_text();
    assert!(both.contains(" WhereNode.as_sql") && both.contains(" Exact.as_sql"), "{both}");
    let css = "//- a.css\nh1,h2 {\n  color: red;\n}\n";
    check(css, "a.css#h1,h2", "h1,h2 1-3");
}

#[test]
fn overloads_are_one_declaration() {
    let method =
        |number: usize| format!("  int read(T{number} it) {{\n    return {number};\n  }}\n");
    let methods: String = (0..8).map(method).collect();
    let fixture = format!("//- Gson.java\npublic class Gson {{\n{methods}}}\n");
    for target in ["Gson.read", "Gson.java#Gson.read", "read"] {
        let text = read_in(&fixture, &alone(target)).to_text();
        assert_eq!(text.matches("\n Gson.read ").count(), 8, "{target}: {text}");
    }
    let request = ReadRequest { matching: vec!["absent".to_owned()], ..alone("Gson.read") };
    assert_eq!(read_in(&fixture, &request).to_text().matches("Gson.java").count(), 1);
}

#[test]
fn of_many_the_most_used_come_first_and_the_call_that_lists_all_is_named() {
    let class = |name: &str| format!("class {name}:\n    def save(self):\n        pass\n\n");
    let names = ["Alpha", "Beta", "Gamma", "Delta", "Model", "Zeta", "Eta"];
    let classes: String = names.iter().map(|name| class(name)).collect();
    let users: String =
        (0..4).map(|at| format!("//- u{at}.py\nfrom a import Model, Eta\nModel, Eta\n")).collect();
    let fixture = format!("//- a.py\n{classes}{users}//- v.py\nfrom a import Model\n");
    let next = refused(&fixture, "save").next_call();
    assert_eq!(
        next,
        "ask for one of them: `a.py#{Model,Eta,Alpha,Beta,Gamma}.save`, and 2 more: `search --names save` lists all"
    );
    let all = read_in(&fixture, &alone("a.py#{Model,Eta,Alpha,Beta,Gamma}.save")).to_text();
    assert_eq!(all.matches(".save ").count(), 5, "{all}");
    let own = refused(&fixture, "a.py#save").next_call();
    assert!(own.contains("`a.py#{Alpha,Beta,Delta,Eta,Gamma}.save`, and 2 more"), "{own}");
}

fn long_function() -> String {
    let steps = |name: &str, count: usize| -> String {
        (0..count).map(|at| format!("    {name}({at});\n")).collect()
    };
    format!(
        "//- src/render.ts\nexport function create(\n  host: Host,\n) {{\n  const patch = (node: Node) => {{\n    mount(node);\n  }};\n  \
         if (host.ready) {{\n{}    patch(host.root);\n{}  }}\n  return patch;\n}}\n",
        steps("before", 40),
        steps("after", 40)
    )
}

#[test]
fn of_a_long_function_the_lines_around_a_place_are_shown() {
    let text = read_in(&long_function(), &alone("src/render.ts:48")).to_text();
    let shown = "src/render.ts\n create 1-91\n1\texport function create(\n2\t  host: Host,\n3\t) {\n… 3 lines\n7\t  if (host.ready) {\n… 28 lines\n36\t    before(28);\n";
    assert!(text.starts_with(shown), "{text}");
    assert!(text.contains("48\t    patch(host.root);\n") && text.contains("60\t    after(11);\n"));
    assert!(!text.contains("61\t"), "{text}");
    assert!(text.ends_with("\nnext: portolan read src/render.ts#create\n"), "{text}");
    let two = read_in(
        &long_function(),
        &ReadRequest {
            targets: vec!["src/render.ts:20".to_owned(), "src/render.ts:80".to_owned()],
            ..ReadRequest::default()
        },
    )
    .to_text();
    assert!(two.contains("\n20\t") && two.contains("\n80\t") && !two.contains("\n50\t"), "{two}");
    let whole = ReadRequest { all: true, ..alone("src/render.ts:48") };
    assert!(read_in(&long_function(), &whole).to_text().contains("61\t"));
}

#[test]
fn a_short_function_in_a_long_one_is_shown_whole_for_a_line_in_it() {
    check(&long_function(), "src/render.ts:5", "create.patch 4-6");
}

#[test]
fn a_variable_that_holds_a_function_is_one() {
    for target in ["patch", "create.patch", "src/render.ts#patch", "src/render.ts#create.patch"] {
        check(&long_function(), target, "create.patch 4-6");
    }
    let seen = look_in(&long_function(), &look_at("src/render.ts#patch"), 1_000);
    assert!(seen.contains("48 patch(host.root);"), "{seen}");
    let fixture = format!(
        "{}//- src/main.ts\nimport {{ create }} from './render';\nexport function main() {{ create(1); }}\n",
        long_function()
    );
    let found = path_in(&fixture, "main", "patch");
    assert!(found.starts_with("2 steps\nmain "), "{found}");
}

#[test]
fn files_without_a_match_are_counted() {
    let files: String = (0..6)
        .map(|at| format!("//- a/f{at}.go\npackage a\n\nvar x{at} = {at}\n{}", "\n".repeat(20)))
        .collect();
    let fixture = format!("{files}//- a/g.go\npackage a\n\nvar needle = 1\n");
    let request = ReadRequest { matching: vec!["needle".to_owned()], ..alone("a/*.go") };
    let text = read_in(&fixture, &request).to_text();
    assert!(text.ends_with("no line matches in 6 other files\n"), "{text}");
}

#[test]
fn a_member_without_a_match_says_where_its_file_has_one() {
    let body = "        step()\n".repeat(14);
    let fixture = format!(
        "//- a.py\nclass Parser:\n    def parse(self):\n{body}\n    def _parse(self):\n        needle()\n        needle()\n\nneedle = 1\n"
    );
    let request = ReadRequest { matching: vec!["needle".to_owned()], ..alone("Parser.parse") };
    assert_eq!(
        read_in(&fixture, &request).to_text(),
        "no line matches in a.py Parser.parse 2-16; in this file: Parser._parse 19 20, needle 22\n"
    );
}
