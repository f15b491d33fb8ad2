//! Makes rows of the declarations of each file.

use portolan_types::FileId;
use std::sync::Arc;

use portolan_graph::select::Category;
use portolan_guard::redact;
use portolan_symbols::resolver::Place;
use portolan_symbols::text::LineStarts as Lines;
use portolan_types::declarations::{Declaration, DeclarationKind, Declarations, Flags, NONE};
use portolan_vfs::System;
use portolan_wire::atlas::DeclarationRow;

use super::packages::Packages;
use super::surface::Surface;
use portolan_index::map::MapReport;
use portolan_index::symbols::{DeclarationStore, Swept, SweptMap, heading, sweep};
use portolan_workspace::config::Loaded;

/// The longest signature, in bytes.
const LONGEST_HEAD: usize = 240;

/// The declarations of a code file.
pub(super) struct Outline {
    pub(super) lines: Lines,
    /// The line of each declaration, by number.
    pub(super) starts: Vec<u32>,
    shown: Vec<Shown>,
}

/// A declaration that gets a row.
struct Shown {
    item: u32,
    name: String,
    kind: &'static str,
    end_line: u32,
    head: String,
    /// Whether other files can use it by its own name.
    is_exported: bool,
}

/// The outlines of all files, by number, and the declarations behind them.
pub(super) fn read<'a>(
    system: &'a dyn System,
    config: &'a Loaded,
    map: &'a MapReport,
    store: &'a DeclarationStore,
) -> (Vec<Option<Outline>>, SweptMap<'a>) {
    let read = |file: &Swept<'_>| (outline(file), Arc::clone(file.facts));
    let swept = sweep(system, config, map, store, read).into_iter();
    let (outlines, facts) = swept.map(Option::unzip).unzip();
    (outlines, SweptMap { system, config, map, store, facts })
}

fn outline(file: &Swept<'_>) -> Outline {
    // Other packages do not import tests.
    let is_test = matches!(Category::of(file.path), Some(Category::Test | Category::Fixture));
    let numbered = file.facts.items.iter().zip(0u32..);
    let shown = numbered.filter(|(item, _)| is_shown(item)).map(|(item, number)| Shown {
        item: number,
        name: full_name(file.facts, item),
        kind: item.kind.name(),
        end_line: file.lines.last_of(item.span),
        head: redact(&heading(file.text, item, LONGEST_HEAD)).into_owned(),
        is_exported: !is_test
            && item.parent == NONE
            && item.flags.has(Flags::EXPORTED)
            && !item.flags.has(Flags::INTERNAL),
    });
    Outline {
        shown: shown.collect(),
        starts: file.facts.items.iter().map(|item| file.lines.of(item.at)).collect(),
        lines: file.lines.clone(),
    }
}

/// Whether a declaration is visible to others.
pub(super) fn is_shown(item: &Declaration) -> bool {
    !item.flags.has(Flags::LOCAL)
        && !matches!(item.kind, DeclarationKind::Statement | DeclarationKind::Extension)
}

/// A name, qualified with that of its parent.
pub(super) fn full_name(facts: &Declarations, item: &Declaration) -> String {
    let own = facts.name(item.name);
    match facts.item(item.parent).filter(|_| item.parent != NONE) {
        Some(parent) => format!("{}.{own}", facts.name(parent.name)),
        None => own.to_owned(),
    }
}

impl Outline {
    /// For each declaration with a row, the names under which its package exports it.
    pub(super) fn exported<'o>(
        &'o self,
        packages: &'o Packages,
        surface: &'o Surface,
        file: FileId,
    ) -> impl Iterator<Item = Vec<String>> + 'o {
        self.shown.iter().map(move |it| {
            let place = Place { file, item: it.item };
            match surface.own_names(packages, place) {
                Some(names) => names,
                None if it.is_exported => vec![it.name.clone()],
                None => Vec::new(),
            }
        })
    }
}

/// The rows, by file and position.
pub(super) fn rows(
    map: &MapReport,
    outlines: &[Option<Outline>],
    packages: &Packages,
    surface: &Surface,
) -> Vec<DeclarationRow> {
    let shown = outlines.iter().flatten().map(|outline| outline.shown.len());
    let mut rows = Vec::with_capacity(shown.sum());
    for ((number, file), outline) in FileId::all().zip(&map.universe).zip(outlines) {
        let Some(outline) = outline else { continue };
        let exported = outline.exported(packages, surface, number);
        rows.extend(outline.shown.iter().zip(exported).map(|(it, mut exported_as)| {
            let place = Place { file: number, item: it.item };
            exported_as.extend(surface.passed_on(packages, place));
            DeclarationRow {
                path: file.path.to_string(),
                name: it.name.clone(),
                kind: it.kind,
                line: outline.starts.get(it.item as usize).copied().unwrap_or(1),
                end_line: it.end_line,
                head: it.head.clone(),
                exported_as,
            }
        }));
    }
    rows
}
