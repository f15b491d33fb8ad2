//! Prints the declarations of files, for oracles: `declarations FILE…`, or the names of files on
//! standard input. Each line has the path, the kind, the full name, the first line, that of the
//! name, and the last.

use std::io::Read as _;

use portolan_languages::{Extractor, syntax::text};
use portolan_types::declarations::DeclarationKind;

#[expect(clippy::print_stdout, reason = "it is what the example is for")]
fn main() -> std::io::Result<()> {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        let mut all = String::new();
        std::io::stdin().read_to_string(&mut all)?;
        paths = all.lines().map(str::to_owned).collect();
    }
    let mut extractor = Extractor::new();
    for path in paths {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let text = text::decode(&bytes);
        let facts = extractor.declarations(&path, &text);
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let line = |at: u32| starts.partition_point(|start| *start <= at as usize);
        for (item, number) in facts.items.iter().zip(0u32..) {
            if item.kind == DeclarationKind::Extension {
                continue;
            }
            let around = facts.ancestors(number).filter_map(|it| facts.item(it));
            let mut names: Vec<&str> = around.map(|it| facts.name(it.name)).collect();
            names.reverse();
            let name = names.join(".").replace(['\t', '\n'], " ");
            let (first, last) = (line(item.span.start), line(item.span.end.saturating_sub(1)));
            let (kind, at) = (item.kind.name(), line(item.at));
            println!("{path}\t{kind}\t{name}\t{first}\t{at}\t{last}");
        }
    }
    Ok(())
}
