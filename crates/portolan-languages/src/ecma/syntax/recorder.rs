//! Collects facts while a text is walked in any order, and sorts them at the end.
//!
//! The walks of a file (statements, expressions, comments) run one after the other. The recorder
//! remembers where each import was first seen, so that the result is in text order.

use std::collections::{BTreeMap, BTreeSet};

use portolan_types::{EdgeKind, cmp_utf16};

use crate::ecma::syntax::import_form::EcmaImportForm;
use crate::ecma::syntax::outline::Gaps;
use crate::{
    Augmentation, Definition, FactPositions, Facts, Forward, Forwarded, Import, Problem, Request,
    ScopeId, TextSpan,
};

/// A provisional number of an import. [`Recorder::finish`] replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ImportId(u32);

/// Offset, import, name, kind, and whether a type requests it.
type PendingRequest = (usize, ImportId, Box<str>, EdgeKind, bool);

/// A span in the current text, relative to its start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LocalSpan {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl From<oxc_span::Span> for LocalSpan {
    fn from(span: oxc_span::Span) -> Self {
        Self { start: span.start, end: span.end }
    }
}

/// Facts under construction.
#[derive(Default)]
pub(crate) struct Recorder {
    imports: Vec<(TextSpan, Import)>,
    known: BTreeMap<(Box<str>, u8, u8), ImportId>,
    requests: Vec<PendingRequest>,
    /// Each with the span where it was seen.
    definitions: Vec<(Box<str>, TextSpan)>,
    forwards: Vec<(Box<str>, ImportId, Forwarded)>,
    glob_reexports: Vec<(usize, ImportId)>,
    augmentations: Vec<(usize, ImportId, Vec<Box<str>>)>,
    computed: BTreeSet<Box<str>>,
    /// The description, set by the walk over the comments.
    pub(crate) description: Option<Box<str>>,
    /// The problems met so far.
    pub(crate) problems: Vec<Problem>,
    /// The span of the current statement.
    statement: LocalSpan,
    base: usize,
    gaps: Gaps,
}

impl Recorder {
    /// Sets the statement that the next definitions belong to.
    pub(crate) fn set_statement(&mut self, statement: impl Into<LocalSpan>) {
        self.statement = statement.into();
    }

    /// Sets the offset of the current text in its file.
    pub(crate) fn set_base(&mut self, base: usize) {
        self.base = base;
    }

    /// Sets the gaps of the current text.
    pub(crate) fn set_gaps(&mut self, gaps: Gaps) {
        self.gaps = gaps;
    }

    fn place(&self, offset: u32) -> usize {
        self.base + self.gaps.original(offset as usize)
    }

    fn span(&self, part: LocalSpan) -> TextSpan {
        let start = self.place(part.start);
        // A gap ends before the next byte that is not removed.
        let last = part.end.checked_sub(1).filter(|last| *last >= part.start);
        let end = last.map_or(start, |last| self.place(last) + 1);
        let place = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        TextSpan { start: place(start), end: place(end) }
    }

    /// Records a specifier that is imported as `kind`.
    pub(crate) fn import(
        &mut self,
        part: impl Into<LocalSpan>,
        specifier: &str,
        kind: EdgeKind,
        form: EcmaImportForm,
    ) -> ImportId {
        let span = self.span(part.into());
        let key = (Box::from(specifier), kind as u8, form as u8);
        if let Some(&id) = self.known.get(&key) {
            if let Some((first, _)) = self.imports.get_mut(id.0 as usize) {
                *first = span.min(*first);
            }
            return id;
        }
        let id = ImportId(self.imports.len() as u32);
        let import =
            Import { specifier: key.0.clone(), kind, form: form.into(), ..Import::default() };
        self.imports.push((span, import));
        self.known.insert(key, id);
        id
    }

    /// Records a name that is requested of an import.
    pub(crate) fn request(&mut self, offset: u32, import: ImportId, name: &str, kind: EdgeKind) {
        self.requests.push((self.place(offset), import, name.into(), kind, false));
    }

    /// Records a name that a type requests of an import.
    pub(crate) fn request_in_type(&mut self, offset: u32, import: ImportId, name: &str) {
        self.requests.push((self.place(offset), import, name.into(), EdgeKind::Type, true));
    }

    /// Records a name that is defined and exported here.
    pub(crate) fn define(&mut self, name: &str) {
        self.definitions.push((name.into(), self.span(self.statement)));
    }

    /// Records a name that is exported here and defined elsewhere.
    pub(crate) fn forward(&mut self, name: &str, import: ImportId, target: Forwarded) {
        self.forwards.push((name.into(), import, target));
    }

    /// Records a glob re-export of an import.
    pub(crate) fn reexport_all(&mut self, offset: u32, import: ImportId) {
        self.glob_reexports.push((self.place(offset), import));
    }

    /// Records declarations that are added to another module.
    pub(crate) fn augment(&mut self, offset: u32, import: ImportId, names: Vec<Box<str>>) {
        self.augmentations.push((self.place(offset), import, names));
    }

    /// Records a computed import by the literal start of its specifier.
    pub(crate) fn compute(&mut self, start: &str) {
        self.computed.insert(start.into());
    }

    /// The facts, in text order.
    pub(crate) fn finish(mut self) -> Facts {
        let mut order: Vec<usize> = (0..self.imports.len()).collect();
        order.sort_by_key(|&id| self.imports[id].0.start);
        let mut places = vec![0u32; order.len()];
        for (place, &id) in order.iter().enumerate() {
            places[id] = place as u32;
        }
        let place = |id: ImportId| places[id.0 as usize];
        let mut imports = std::mem::take(&mut self.imports);
        imports.sort_by_key(|(span, _)| span.start);

        let (definitions, defined_at) = finish_definitions(self.definitions);
        let places = FactPositions {
            imports: imports.iter().map(|(span, _)| *span).collect(),
            definitions: defined_at,
        };
        Facts {
            imports: imports.into_iter().map(|(_, import)| import).collect(),
            requests: finish_requests(self.requests, place),
            definitions,
            forwards: finish_forwards(self.forwards, place),
            glob_reexports: finish_glob_reexports(self.glob_reexports, place),
            augmentations: finish_augmentations(self.augmentations, place),
            computed: self.computed.into_iter().collect(),
            description: self.description,
            problems: self.problems,
            places,
            ..Facts::default()
        }
    }
}

fn finish_definitions(mut names: Vec<(Box<str>, TextSpan)>) -> (Vec<Definition>, Vec<TextSpan>) {
    names.sort_by(|left, right| cmp_utf16(&left.0, &right.0).then(left.1.cmp(&right.1)));
    names.dedup_by(|later, kept| later.0 == kept.0);
    let defined = |(name, span)| (Definition { name, ..Definition::default() }, span);
    names.into_iter().map(defined).unzip()
}

fn finish_requests(
    mut requests: Vec<PendingRequest>,
    place: impl Fn(ImportId) -> u32,
) -> Vec<Request> {
    requests.sort_by_key(|(offset, ..)| *offset);
    let mut seen = BTreeSet::new();
    requests.retain(|(_, import, name, kind, in_type)| {
        seen.insert((*import, name.clone(), *kind as u8, *in_type))
    });
    requests
        .into_iter()
        .map(|(_, import, name, kind, in_type)| Request {
            import: place(import),
            name,
            kind,
            in_type,
            ..Request::default()
        })
        .collect()
}

fn finish_forwards(
    forwards: Vec<(Box<str>, ImportId, Forwarded)>,
    place: impl Fn(ImportId) -> u32,
) -> Vec<Forward> {
    let mut forwards: Vec<Forward> = forwards
        .into_iter()
        .map(|(name, import, target)| Forward {
            name,
            import: place(import),
            target,
            scope: ScopeId::default(),
        })
        .collect();
    forwards.sort_by(|left, right| {
        cmp_utf16(&left.name, &right.name).then(left.import.cmp(&right.import))
    });
    forwards.dedup();
    forwards
}

fn finish_glob_reexports(
    mut globs: Vec<(usize, ImportId)>,
    place: impl Fn(ImportId) -> u32,
) -> Vec<u32> {
    globs.sort_by_key(|(offset, _)| *offset);
    let mut seen = BTreeSet::new();
    globs
        .into_iter()
        .map(|(_, import)| place(import))
        .filter(|import| seen.insert(*import))
        .collect()
}

fn finish_augmentations(
    mut augmentations: Vec<(usize, ImportId, Vec<Box<str>>)>,
    place: impl Fn(ImportId) -> u32,
) -> Vec<Augmentation> {
    augmentations.sort_by_key(|(offset, ..)| *offset);
    augmentations
        .into_iter()
        .map(|(_, import, names)| Augmentation {
            import: place(import),
            names: sorted_names(names),
        })
        .collect()
}

fn sorted_names(mut names: Vec<Box<str>>) -> Vec<Box<str>> {
    names.sort_by(|left, right| cmp_utf16(left, right));
    names.dedup();
    names
}
