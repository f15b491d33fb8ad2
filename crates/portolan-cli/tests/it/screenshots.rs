//! Draws the pictures of the README: terminal output as SVG. They are regenerated like the pages of
//! `docs`.

use std::fmt::Write as _;

use crate::docs::{check_page, docs, played, without_time};
use crate::support::{Repo, run_with_input};

const CHARACTER: usize = 9;
const LINE: usize = 20;

/// A run of characters of one style.
struct Span {
    class: &'static str,
    text: String,
}

/// Splits a line with escape sequences into spans.
fn spans(line: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    for (index, part) in line.split("\u{1b}[").enumerate() {
        let (codes, text) = if index == 0 { ("0", part) } else { part.split_once('m').unwrap() };
        let class = match codes {
            "1" => "bold",
            "2" => "dim",
            _ if codes.contains("31") => "red",
            _ if codes.contains("33") => "yellow",
            _ if codes.contains("36") => "cyan",
            _ => "plain",
        };
        if !text.is_empty() {
            spans.push(Span { class, text: without_time(text) });
        }
    }
    spans
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Expands the tabs after line numbers, as a terminal does.
fn without_tabs(line: &str) -> String {
    match line.split_once('\t') {
        Some((number, rest)) => format!("{number:<4}{rest}"),
        None => line.to_owned(),
    }
}

fn svg(command: &str, output: &str) -> String {
    let output: String = output.lines().map(|line| without_tabs(line) + "\n").collect();
    let lines: Vec<&str> = output.lines().collect();
    let length = |line: &&str| spans(line).iter().map(|span| span.text.chars().count()).sum();
    let columns = lines.iter().map(length).max().unwrap_or(0usize).max(command.len() + 2);
    let (width, height) = ((columns + 4) * CHARACTER, (lines.len() + 3) * LINE);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>{}</title>\n\
         <style>text {{ font: 15px ui-monospace, Menlo, Consolas, monospace; fill: #d8dee9; white-space: pre }} \
         .bold {{ font-weight: bold }} .dim {{ fill: #7b8494 }} .red {{ fill: #e06c75 }} \
         .yellow {{ fill: #e5c07b }} .cyan {{ fill: #56b6c2 }}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#1e2430\"/>\n\
         <text xml:space=\"preserve\" x=\"18\" y=\"{}\"><tspan class=\"dim\">$ </tspan><tspan>{}</tspan></text>\n",
        escaped(command),
        LINE + LINE / 2,
        escaped(command)
    );
    for (index, line) in lines.iter().enumerate() {
        let y = (index + 2) * LINE + LINE / 2;
        let _ = write!(out, "<text xml:space=\"preserve\" x=\"18\" y=\"{y}\">");
        for span in spans(line) {
            let _ = write!(out, "<tspan class=\"{}\">{}</tspan>", span.class, escaped(&span.text));
        }
        out.push_str("</text>\n");
    }
    out + "</svg>\n"
}

/// A to-do list, as an example that everybody knows.
const TODO: &str = "\
//- package.json
{ \"name\": \"todo\", \"private\": true, \"workspaces\": [\"shared\", \"server\", \"web\"] }
//- shared/package.json
{ \"name\": \"@todo/shared\", \"main\": \"src/index.ts\" }
//- shared/src/index.ts
export * from './todo';
export { isDone, isOpen } from './filters';
//- shared/src/todo.ts
/** @module What a to-do is, on the server and in the browser. */
export interface Todo {
  id: number;
  title: string;
  done: boolean;
}

export type Draft = Omit<Todo, 'id'>;
//- shared/src/filters.ts
/** @module Which to-dos a list shows. */
import type { Todo } from './todo';

export const isDone = (todo: Todo): boolean => todo.done;
export const isOpen = (todo: Todo): boolean => !todo.done;
//- server/package.json
{ \"name\": \"@todo/server\" }
//- server/src/main.ts
/** @module Starts the server. */
import { createServer } from 'node:http';
import { route } from './routes';

createServer(route).listen(8080);
//- server/src/routes.ts
/** @module Answers requests for to-dos. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Store } from './store';

const store = new Store();

export const route = (request: IncomingMessage, response: ServerResponse): void => {
  response.end(JSON.stringify(request.url === '/open' ? store.open() : store.all()));
};
//- server/src/store.ts
/** @module Keeps the to-dos. */
import { type Draft, type Todo, isOpen } from '@todo/shared';

export class Store {
  private todos = new Map<number, Todo>();

  add(draft: Draft): Todo {
    const todo = { ...draft, id: this.todos.size + 1, due: draft.due };
    this.todos.set(todo.id, todo);
    return todo;
  }

  all(): Todo[] {
    return [...this.todos.values()];
  }

  open(): Todo[] {
    return this.all().filter(isOpen);
  }
}
//- server/test/store.test.ts
import { Store } from '../src/store';

test('a new to-do is open', () => {
  const store = new Store();
  store.add({ title: 'milk', done: false });
  expect(store.open()).toHaveLength(1);
});
//- web/package.json
{ \"name\": \"@todo/web\" }
//- web/src/App.tsx
/** @module The page. */
import { List } from './components/List';
import { useTodos } from './useTodos';

export const App = () => <List todos={useTodos()} />;
//- web/src/useTodos.ts
/** @module Fetches the to-dos. */
import type { Todo } from '@todo/shared';

export const useTodos = (): Todo[] => [];
//- web/src/components/List.tsx
/** @module A list of to-dos. */
import type { Todo } from '@todo/shared';
import { Row } from './Row';

export const List = ({ todos }: { todos: Todo[] }) => <ul>{todos.map((todo) => <Row key={todo.id} todo={todo} />)}</ul>;
//- web/src/components/Row.tsx
/** @module One to-do. */
import { type Todo, isDone } from '@todo/shared';

export const Row = ({ todo }: { todo: Todo }) => <li className={isDone(todo) ? 'done' : ''}>{todo.title}</li>;
";

const ERROR: &str =
    "server/src/store.ts(8,65): error TS2339: Property 'due' does not exist on type 'Draft'.\n";

/// The first things that a newcomer sees: a chart, and a pack.
#[test]
fn docs_pictures_begin_with_a_chart_and_a_pack() {
    let repo = Repo::new(TODO);
    let answer = repo.run(&["chart"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    check_page("images/chart.svg", &svg("portolan chart", &answer.stdout));
    let answer = run_with_input(&repo.path(), &["pack", "--diag", "-"], ERROR.as_bytes());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    check_page("images/pack.svg", &svg("tsc --noEmit | portolan pack --diag -", &answer.stdout));
}

#[test]
fn docs_pictures_show_what_a_terminal_shows() {
    let tutorial = std::fs::read_to_string(docs().join("tutorial.md")).unwrap();
    let (setting, _) = tutorial.split_once("## 1.").unwrap();
    let repo = Repo::new("");
    played(setting, &repo);
    let state = "{ \"v\": 2, \"i\": [[\"src/index.ts\", 1]] }\n";
    repo.write(".stan/context/dependency.state.json", state.as_bytes());
    let pictures: [(&str, &str, &[&str]); 3] = [
        ("run", "portolan run --context", &["run", "--context"]),
        ("select", "portolan select", &["select"]),
        ("graph", "portolan graph", &["graph", "--view", "stats"]),
    ];
    for (name, command, arguments) in pictures {
        let answer = repo.run(&[arguments, &["--color", "always"]].concat());
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        check_page(&format!("images/{name}.svg"), &svg(command, &answer.stdout));
    }
}
