//! The entries of a state: `"id"`, `["id", depth]`, `["id", depth, kinds]`.
//!
//! One pass produces what both readings need: the warning of the lenient one, in the exact words of the
//! selection's contract, and the problem of the strict one, with its path.

use portolan_types::{EdgeKind, KindMask};

use super::StateEntry;
use crate::problem::ProblemDraft;
use portolan_json::{Json, LocatedJson};

/// The entries of a list and the findings about them.
#[derive(Debug, Default)]
pub struct EntryList {
    /// What could be read, in order.
    pub entries: Vec<StateEntry>,
    /// For the lenient reading.
    pub warnings: Vec<String>,
    /// For the strict reading.
    pub(crate) problems: Vec<ProblemDraft>,
    /// Accepted, but unusual.
    pub(crate) notes: Vec<ProblemDraft>,
}

/// Reads a list of entries. `name` is the name of the list in the state, `label` the name of its entries in
/// warnings.
pub fn read_entries(items: &[LocatedJson<'_>], name: &str, label: &str) -> EntryList {
    let mut list = EntryList::default();
    for (index, item) in items.iter().enumerate() {
        let mut reader = EntryReader {
            list: &mut list,
            path: format!("{name}[{index}]"),
            label: format!("{label}[{index}]"),
        };
        let entry = reader.entry(item);
        list.entries.extend(entry);
    }
    list
}

struct EntryReader<'l> {
    list: &'l mut EntryList,
    path: String,
    label: String,
}

impl EntryReader<'_> {
    fn warn(&mut self, warning: String) {
        self.list.warnings.push(warning);
    }

    fn problem(&mut self, at: usize, element: &str, message: String) {
        self.list.problems.push(ProblemDraft::new(at, format!("{}{element}", self.path), message));
    }

    fn entry(&mut self, item: &LocatedJson<'_>) -> Option<StateEntry> {
        match &item.json {
            Json::String(id) => self.plain(item, id),
            Json::Array(elements) => self.tuple(item, elements),
            _ => {
                let label = &self.label;
                self.warn(format!("Invalid nodeId for {label}: expected non-empty string."));
                let message = format!(
                    "found {}; allowed: \"id\", [\"id\", depth], [\"id\", depth, kinds]",
                    item.describe()
                );
                self.problem(item.at, "", message);
                None
            }
        }
    }

    /// A bare id. The contract silently skips an empty one and takes a blank one literally.
    fn plain(&mut self, item: &LocatedJson<'_>, id: &str) -> Option<StateEntry> {
        if id.trim().is_empty() {
            self.problem(item.at, "", "found a blank id; allowed: the id of a node".to_owned());
        }
        (!id.is_empty()).then(|| StateEntry::seed(id))
    }

    fn tuple(
        &mut self,
        item: &LocatedJson<'_>,
        elements: &[LocatedJson<'_>],
    ) -> Option<StateEntry> {
        if !(2..=3).contains(&elements.len()) {
            let message = format!(
                "found {}; allowed: [\"id\", depth] or [\"id\", depth, kinds]",
                item.describe()
            );
            self.problem(item.at, "", message);
        }
        let kinds = elements.get(2).map(|kinds| self.kinds(kinds));
        let Some(id) =
            elements.first().and_then(LocatedJson::as_str).filter(|id| !id.trim().is_empty())
        else {
            let label = &self.label;
            self.warn(format!("Invalid nodeId for {label}: expected non-empty string."));
            if let Some(found) = elements.first() {
                let message = format!("found {}; allowed: the id of a node", found.describe());
                self.problem(found.at, "[0]", message);
            }
            return None;
        };
        let depth = self.depth(elements.get(1));
        Some(StateEntry { id: id.into(), depth, kinds })
    }

    /// A whole number from 0. Anything else is rounded down, to at least 0.
    fn depth(&mut self, element: Option<&LocatedJson<'_>>) -> u64 {
        let number = element.and_then(LocatedJson::as_f64).filter(|number| number.is_finite());
        #[expect(
            clippy::cast_sign_loss,
            reason = "at least 0; beyond the range it saturates, and no graph is that deep"
        )]
        let depth = number.map_or(0, |number| number.floor().max(0.0) as u64);
        if !number.is_some_and(|number| number >= 0.0 && number.fract() == 0.0) {
            let label = &self.label;
            self.warn(format!("Invalid depth for {label}: expected integer >= 0; using {depth}."));
            // A missing depth is a problem of the whole entry, which reports it.
            if let Some(found) = element {
                let message = format!(
                    "found {}; allowed: a whole number from 0 (edges to follow)",
                    found.describe()
                );
                self.problem(found.at, "[1]", message);
            }
        }
        depth
    }

    fn kinds(&mut self, element: &LocatedJson<'_>) -> KindMask {
        if let Some(items) = element.as_array() {
            return self.kind_names(element, items);
        }
        if let Some(number) = element.as_f64().filter(|number| number.is_finite()) {
            return self.kind_bits(element, number);
        }
        let label = &self.label;
        self.warn(format!("Invalid edgeKinds for {label}: expected array; using none."));
        let message = format!("found {}; {KINDS_ALLOWED}", element.describe());
        self.problem(element.at, "[2]", message);
        KindMask::NONE
    }

    /// A mask. Unknown bits are ignored with a warning, in the strict reading too.
    fn kind_bits(&mut self, element: &LocatedJson<'_>, number: f64) -> KindMask {
        let label = self.label.clone();
        if number.fract() != 0.0 || number < 0.0 {
            self.problem(
                element.at,
                "[2]",
                format!("found {}; {KINDS_ALLOWED}", element.describe()),
            );
        }
        let whole = number.floor();
        if whole < 0.0 {
            self.warn(format!(
                "Invalid edgeKinds bitmask for {label}: expected integer >= 0; using none."
            ));
            return KindMask::NONE;
        }
        // Division of doubles is exact here, so masks of any size are split without wrapping.
        let known = whole % 8.0;
        let unknown = whole - known;
        if unknown > 0.0 {
            let bits = ryu_js::Buffer::new().format_finite(unknown).to_owned();
            self.note(element, format!("Invalid edgeKinds bit(s) for {label}: {bits}; ignoring."));
        }
        if whole > 0.0 && known == 0.0 {
            self.note(
                element,
                format!("No valid edgeKinds for {label}; no edges will be traversed."),
            );
        }
        #[expect(clippy::cast_sign_loss, reason = "a remainder of 8, at least 0")]
        KindMask::from_bits_truncate(known as u64)
    }

    /// A list of names: the form of version 1, which version 2 also accepts.
    fn kind_names(&mut self, element: &LocatedJson<'_>, items: &[LocatedJson<'_>]) -> KindMask {
        let label = self.label.clone();
        let mut invalid: Vec<&str> = Vec::new();
        let mut kinds = KindMask::NONE;
        for (index, item) in items.iter().enumerate() {
            let name = item.as_str();
            if let Some(kind) = name.and_then(EdgeKind::from_name) {
                kinds |= kind.mask();
                continue;
            }
            let message =
                format!("found {}; allowed: `runtime`, `type`, `dynamic`", item.describe());
            self.problem(item.at, &format!("[2][{index}]"), message);
            invalid.extend(name);
        }
        invalid.sort_unstable();
        invalid.dedup();
        for name in invalid {
            self.warn(format!("Invalid edgeKind for {label}: {name}; ignoring."));
        }
        if !items.is_empty() && kinds.is_empty() {
            self.note(
                element,
                format!("No valid edgeKinds for {label}; no edges will be traversed."),
            );
        }
        kinds
    }

    /// A remark of both readings that neither rejects.
    fn note(&mut self, element: &LocatedJson<'_>, text: String) {
        self.list.notes.push(ProblemDraft::new(
            element.at,
            format!("{}[2]", self.path),
            text.clone(),
        ));
        self.list.warnings.push(text);
    }
}

const KINDS_ALLOWED: &str =
    "allowed: a mask 0..7 (runtime 1, type 2, dynamic 4) or a list of those names";
