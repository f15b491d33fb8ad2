//! Facts as bytes, without the description and the problems: those are needed in every run, these only
//! where something has changed.
//!
//! The shapes here are those of the cache, not of the facts: they may change with every version,
//! since the cache of another version is dropped.

use portolan_syntax::{Augmentation, Facts, Forward, Forwarded, Import, ImportForm, Request};
use portolan_types::EdgeKind;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    #[serde(borrow)]
    imports: Vec<(&'a str, u8, u8)>,
    #[serde(borrow)]
    requests: Vec<(u32, &'a str, u8, bool)>,
    #[serde(borrow)]
    definitions: Vec<&'a str>,
    #[serde(borrow)]
    forwards: Vec<(&'a str, u32, Option<&'a str>)>,
    stars: Vec<u32>,
    #[serde(borrow)]
    augmentations: Vec<(u32, Vec<&'a str>)>,
}

const FORMS: [ImportForm; 5] = [
    ImportForm::Import,
    ImportForm::Require,
    ImportForm::ReferencePath,
    ImportForm::ReferenceTypes,
    ImportForm::Url,
];

/// The place of a value in the list of all; lists are complete, as the test shows.
pub(super) fn code<T: PartialEq>(all: &[T], value: &T) -> u8 {
    all.iter().position(|one| one == value).unwrap_or(usize::MAX) as u8
}

pub(super) fn value<T: Copy>(all: &[T], code: u8) -> Option<T> {
    all.get(usize::from(code)).copied()
}

/// The bytes of some facts.
pub(super) fn encode(facts: &Facts) -> Vec<u8> {
    let kind = |kind: EdgeKind| code(&EdgeKind::ALL, &kind);
    let imports = facts.imports.iter();
    let requests = facts.requests.iter();
    let forwards = facts.forwards.iter().map(|forward| {
        let target = match &forward.target {
            Forwarded::Name(name) => Some(&**name),
            Forwarded::Namespace => None,
        };
        (&*forward.name, forward.import, target)
    });
    let augmentations = facts.augmentations.iter().map(|augmentation| {
        (augmentation.import, augmentation.names.iter().map(|name| &**name).collect())
    });
    let stored = Stored {
        imports: imports
            .map(|import| (&*import.specifier, kind(import.kind), code(&FORMS, &import.form)))
            .collect(),
        requests: requests
            .map(|request| (request.import, &*request.name, kind(request.kind), request.in_type))
            .collect(),
        definitions: facts.definitions.iter().map(|name| &**name).collect(),
        forwards: forwards.collect(),
        stars: facts.stars.clone(),
        augmentations: augmentations.collect(),
    };
    // Writing plain data to memory does not fail; were it to, nothing can be read back from it.
    postcard::to_stdvec(&stored).unwrap_or_default()
}

/// The facts of some bytes, if they make sense.
pub(super) fn decode(bytes: &[u8]) -> Option<Facts> {
    let stored: Stored<'_> = postcard::from_bytes(bytes).ok()?;
    let count = stored.imports.len();
    let kind = |code| value(&EdgeKind::ALL, code);
    let boxed = |names: Vec<&str>| names.into_iter().map(Box::from).collect();
    let import = |(specifier, edge, form): (&str, u8, u8)| {
        Some(Import { specifier: specifier.into(), kind: kind(edge)?, form: value(&FORMS, form)? })
    };
    let request = |(import, name, edge, in_type): (u32, &str, u8, bool)| {
        Some(Request {
            import: known(import, count)?,
            name: name.into(),
            kind: kind(edge)?,
            in_type,
        })
    };
    let forward = |(name, import, target): (&str, u32, Option<&str>)| {
        let target = target.map_or(Forwarded::Namespace, |name| Forwarded::Name(name.into()));
        Some(Forward { name: name.into(), import: known(import, count)?, target })
    };
    let augmentation = |(import, names): (u32, Vec<&str>)| {
        Some(Augmentation { import: known(import, count)?, names: boxed(names) })
    };
    Some(Facts {
        imports: stored.imports.into_iter().map(import).collect::<Option<_>>()?,
        requests: stored.requests.into_iter().map(request).collect::<Option<_>>()?,
        definitions: boxed(stored.definitions),
        forwards: stored.forwards.into_iter().map(forward).collect::<Option<_>>()?,
        stars: stored.stars.into_iter().map(|star| known(star, count)).collect::<Option<_>>()?,
        augmentations: stored.augmentations.into_iter().map(augmentation).collect::<Option<_>>()?,
        description: None,
        problems: Vec::new(),
    })
}

/// An index into the imports, if there is one.
fn known(index: u32, count: usize) -> Option<u32> {
    ((index as usize) < count).then_some(index)
}

#[cfg(test)]
mod tests {
    use portolan_syntax::{ExtractSettings, Extractor, ImportForm};

    use super::{FORMS, decode, encode};

    #[test]
    fn every_fact_comes_back() {
        let text = "/** @module What it is. */
            /// <reference path='x.d.ts' />
            /// <reference types='node' />
            import a, { b as c, type D } from './a';
            export * from './star';
            export * as ns from './ns';
            export { e as f } from './e';
            export const g = 1;
            const lazy = import('./lazy'), old = require('./old');
            new URL('./u.png', import.meta.url);
            let t: import('./t').T;
            declare module './a' { interface D { x: 1 } }
            const = broken;";
        for path in ["a.ts", "a.js"] {
            let mut facts =
                Extractor::new().extract(path, text.as_bytes(), &ExtractSettings::default());
            assert!(!facts.imports.is_empty());
            (facts.description, facts.problems) = (None, Vec::new());
            assert_eq!(decode(&encode(&facts)), Some(facts));
        }
    }

    #[test]
    fn every_form_has_a_number() {
        // Not to be forgotten when a form is added.
        match ImportForm::Import {
            ImportForm::Import
            | ImportForm::Require
            | ImportForm::ReferencePath
            | ImportForm::ReferenceTypes
            | ImportForm::Url => assert_eq!(FORMS.len(), 5),
        }
    }

    #[test]
    fn nonsense_is_not_facts() {
        assert_eq!(decode(&[]), None);
        assert_eq!(decode(&[255; 40]), None);
        let mut bytes = encode(&Extractor::new().extract(
            "a.ts",
            b"export * from './a'",
            &ExtractSettings::default(),
        ));
        let star = bytes.iter().rposition(|byte| *byte == 1).unwrap();
        bytes[star + 1] = 9;
        assert_eq!(decode(&bytes), None);
    }
}
