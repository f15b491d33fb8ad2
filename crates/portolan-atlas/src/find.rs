//! Finds declarations by name, across repositories.

use crate::AtlasError;
use crate::atlas::Atlas;
use crate::parquet_reader::{Rows, Wanted};
use crate::text::RankedLines;
use portolan_types::count;
use portolan_wire::atlas_report::AtlasFoundV1;

/// The declarations with a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindInAtlas {
    /// The requested name.
    pub name: String,
    /// The matches: exported ones first, then by position.
    pub found: Vec<AtlasFoundV1>,
    /// Whether the matches have exactly this name; otherwise they differ in case.
    pub is_exact: bool,
    /// How many repositories were searched.
    pub searched: usize,
}

const COLUMNS: [&str; 6] = ["name", "path", "line", "kind", "head", "exported_as"];

impl Atlas {
    /// Finds the declarations with a name (`Class.member` for a member), at most `limit`.
    pub fn find(&self, name: &str, limit: usize) -> Result<FindInAtlas, AtlasError> {
        let all: Vec<_> = self.repositories().iter().collect();
        let exact = Wanted::Exactly("name", name);
        let mut found =
            self.read(&all, "declaration", &COLUMNS, &exact, |repository, rows, found| {
                take(&repository.id, rows, |own| own == name, found);
            })?;
        let is_exact = !found.is_empty();
        if !is_exact {
            let fits = |own: &str| own.eq_ignore_ascii_case(name);
            found = self.read(
                &all,
                "declaration",
                &COLUMNS,
                &Wanted::All,
                |repository, rows, found| {
                    take(&repository.id, rows, fits, found);
                },
            )?;
        }
        found.sort_by(|left, right| {
            let key = |it: &AtlasFoundV1| {
                (it.exported_as.is_empty(), it.repository.clone(), it.path.clone(), it.line)
            };
            key(left).cmp(&key(right))
        });
        found.truncate(limit);
        let searched = self.repositories().len();
        Ok(FindInAtlas { name: name.to_owned(), found, is_exact, searched })
    }
}

fn take(repository: &str, rows: &Rows, fits: impl Fn(&str) -> bool, found: &mut Vec<AtlasFoundV1>) {
    for row in (0..rows.count).filter(|row| fits(rows.text(0, *row))) {
        found.push(AtlasFoundV1 {
            repository: repository.to_owned(),
            path: rows.text(1, row).to_owned(),
            line: rows.number(2, row).unwrap_or(1),
            name: rows.text(0, row).to_owned(),
            kind: rows.text(3, row).to_owned(),
            head: rows.text(4, row).to_owned(),
            exported_as: rows.list(5, row).into_iter().map(str::to_owned).collect(),
        });
    }
}

impl FindInAtlas {
    /// The answer as text within a token budget.
    pub fn to_text(&self, budget: u64) -> String {
        let searched = count(self.searched, "repository");
        let head = match (self.found.is_empty(), self.is_exact) {
            (true, _) => format!("no declaration `{}` in {searched}\n", self.name),
            (false, false) => {
                format!(
                    "no declaration `{}` in {searched}; but for large and small letters:\n",
                    self.name
                )
            }
            (false, true) => String::new(),
        };
        let lines = self.found.iter().map(|it| {
            let exported = match it.exported_as.as_slice() {
                [] => " (not exported)".to_owned(),
                [own] if *own == it.name => String::new(),
                names => format!(" (exported as {})", names.join(", ")),
            };
            (
                0,
                format!(
                    "{} {}:{} {} {}{exported}",
                    it.repository, it.path, it.line, it.kind, it.name
                ),
            )
        });
        RankedLines { head, lines: lines.collect() }.fit(budget)
    }
}
