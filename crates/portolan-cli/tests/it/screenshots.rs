//! The pictures of the README: what a terminal shows, drawn as SVG. Made anew like the pages of
//! `docs`.

use std::fmt::Write as _;

use crate::docs::{check_page, docs, played, without_time};
use crate::support::Repo;

const CHARACTER: usize = 9;
const LINE: usize = 20;

/// A run of characters of one style.
struct Span {
    class: &'static str,
    text: String,
}

/// Cuts a line with escape sequences into spans.
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

fn svg(command: &str, output: &str) -> String {
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
