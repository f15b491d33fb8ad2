//! The cache as bytes: the entries in postcard, and the facts behind them.

use std::ops::Range;
use std::sync::Arc;

use portolan_guard::Inspection;
use portolan_languages::{Facts, LanguageCode, Problem};
use portolan_types::Sha256Digest;
use portolan_vfs::Stat;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::store::CacheBytes;

/// The content of the cache.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) entries: Vec<Entry>,
    /// The links, encoded; empty if they are unknown.
    pub(super) links: Vec<u8>,
}

/// The entry of a file.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// From the root; absolute outside it.
    pub(super) path: Arc<str>,
    pub(super) size: u64,
    pub(super) sha256: Sha256Digest,
    /// Whether the guard denies it.
    pub(super) is_denied: bool,
    /// `None` if they cannot be trusted: then only the content counts.
    pub(super) times: Option<Times>,
    pub(super) code: Option<CodeEntry>,
}

impl Entry {
    /// Whether two entries are the same. Facts depend on the bytes and the path.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let Self { path, size, sha256, is_denied, times, code } = self;
        *path == other.path
            && (size, sha256, times) == (&other.size, &other.sha256, &other.times)
            && *is_denied == other.is_denied
            && code.is_some() == other.code.is_some()
    }
}

/// The entry of a file of code.
#[derive(Clone, Debug)]
pub(super) struct CodeEntry {
    /// The language.
    pub(super) language: LanguageCode,
    pub(super) description: Option<Arc<str>>,
    pub(super) problems: Vec<Problem>,
    /// What the guard found in the bytes.
    pub(super) inspection: Inspection,
    pub(super) facts: StoredFacts,
}

/// Facts that are decoded on demand.
#[derive(Clone, Debug)]
pub(in crate::map) struct StoredFacts {
    bytes: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl StoredFacts {
    /// Encodes facts.
    pub(in crate::map) fn of(facts: &Facts) -> Self {
        // Encoding plain data does not fail. If it did, decoding would fail too.
        let bytes = postcard::to_stdvec(facts).unwrap_or_default();
        let range = 0..bytes.len();
        Self { bytes: Arc::new(bytes), range }
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(self.range.clone()).unwrap_or_default()
    }

    /// The size in bytes.
    pub(in crate::map) fn len(&self) -> usize {
        self.range.len()
    }

    /// Decodes the facts. The checksum of the cache was right, so this succeeds.
    pub(in crate::map) fn decode(&self) -> Facts {
        facts_of(self.bytes()).unwrap_or_default()
    }
}

/// Decodes facts, if they are consistent.
fn facts_of(bytes: &[u8]) -> Option<Facts> {
    postcard::from_bytes(bytes).ok().filter(Facts::is_whole)
}

/// The metadata that change when a file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::map) struct Times {
    mtime_ns: i128,
    ctime_ns: i128,
    inode: u64,
}

impl Times {
    pub(in crate::map) fn of(stat: &Stat) -> Self {
        Self { mtime_ns: stat.mtime_ns, ctime_ns: stat.ctime_ns, inode: stat.inode }
    }

    /// Whether a change at or after `moment` gets other times than these. On a file system that counts in seconds, two
    /// changes within a second have the same time. So times that are less than one step of the clock before `moment`
    /// prove nothing. The times themselves show the step: on a fine clock they are rarely round numbers.
    pub(in crate::map) fn are_before(&self, moment: i128) -> bool {
        let step = step_of(self.mtime_ns).min(step_of(self.ctime_ns));
        self.mtime_ns.max(self.ctime_ns).saturating_add(step) <= moment
    }
}

/// The coarsest step of a clock that could give this time, in nanoseconds; at most two seconds.
fn step_of(time_ns: i128) -> i128 {
    const SECOND: i128 = 1_000_000_000;
    if time_ns % SECOND == 0 {
        return 2 * SECOND;
    }
    let steps = [SECOND / 10, SECOND / 100, SECOND / 1000, SECOND / 1_000_000, 100];
    steps.into_iter().find(|step| time_ns % step == 0).unwrap_or(1)
}

#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    #[serde(borrow)]
    entries: Vec<StoredEntry<'a>>,
    #[serde(borrow)]
    links: Blob<'a>,
    /// Last, so that their start is known from their length.
    #[serde(borrow)]
    facts: Blob<'a>,
}

#[derive(Serialize, Deserialize)]
struct StoredEntry<'a> {
    path: &'a str,
    size: u64,
    sha256: [u8; 32],
    is_denied: bool,
    times: Option<Times>,
    #[serde(borrow)]
    code: Option<StoredCode<'a>>,
}

#[derive(Serialize, Deserialize)]
struct StoredCode<'a> {
    language: LanguageCode,
    description: Option<&'a str>,
    problems: Vec<Problem>,
    inspection: u16,
    /// The length of the facts.
    facts: usize,
}

/// Bytes that are copied as a whole.
struct Blob<'a>(&'a [u8]);

impl Serialize for Blob<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Blob<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Blob<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_borrowed_bytes<E: de::Error>(self, bytes: &'de [u8]) -> Result<Blob<'de>, E> {
                Ok(Blob(bytes))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

/// The bytes of a cache.
pub(super) fn encode(content: &Content) -> Option<Vec<u8>> {
    let mut facts = Vec::new();
    let mut entries = Vec::with_capacity(content.entries.len());
    for entry in &content.entries {
        let code = entry.code.as_ref().map(|found| {
            facts.extend_from_slice(found.facts.bytes());
            stored_code(found)
        });
        entries.push(StoredEntry {
            path: &entry.path,
            size: entry.size,
            sha256: *entry.sha256.as_bytes(),
            is_denied: entry.is_denied,
            times: entry.times,
            code,
        });
    }
    postcard::to_stdvec(&Stored { entries, links: Blob(&content.links), facts: Blob(&facts) }).ok()
}

fn stored_code(entry: &CodeEntry) -> StoredCode<'_> {
    StoredCode {
        language: entry.language,
        description: entry.description.as_deref(),
        problems: entry.problems.clone(),
        inspection: entry.inspection.code(),
        facts: entry.facts.range.len(),
    }
}

/// The content of a cache.
pub(super) fn decode(bytes: CacheBytes) -> Option<Content> {
    let (bytes, body) = bytes.into_parts();
    let bytes = Arc::new(bytes);
    let stored: Stored<'_> = postcard::from_bytes(bytes.get(body..)?).ok()?;
    let mut entries = Vec::with_capacity(stored.entries.len());
    let mut at = bytes.len() - stored.facts.0.len();
    for entry in stored.entries {
        let code = match entry.code {
            Some(code) => {
                let range = at..at.saturating_add(code.facts);
                at = range.end;
                let facts = StoredFacts { bytes: Arc::clone(&bytes), range };
                Some(code_entry(code, facts)?)
            }
            None => None,
        };
        entries.push(Entry {
            path: entry.path.into(),
            size: entry.size,
            sha256: Sha256Digest::from_bytes(entry.sha256),
            is_denied: entry.is_denied,
            times: entry.times,
            code,
        });
    }
    Some(Content { entries, links: stored.links.0.to_vec() })
}

fn code_entry(code: StoredCode<'_>, facts: StoredFacts) -> Option<CodeEntry> {
    Some(CodeEntry {
        language: code.language,
        description: code.description.map(Arc::from),
        problems: code.problems,
        inspection: Inspection::from_code(code.inspection)?,
        facts,
    })
}

#[cfg(test)]
mod tests {
    use portolan_guard::Inspection;
    use portolan_languages::{
        ExtractSettings, Extractor, Facts, Problem, ProblemKind, language_code,
    };
    use portolan_types::Sha256Digest;

    use super::{CodeEntry, Content, Entry, StoredFacts, Times, decode, encode, facts_of};
    use crate::store::CacheBytes;

    fn sample() -> Content {
        let times = Times { mtime_ns: -5, ctime_ns: 1 << 70, inode: 9 };
        let facts = Facts { definitions: vec!["a".into()], ..Facts::default() };
        let problem =
            Problem { kind: ProblemKind::TooDeep, message: "deep".into(), position: Some((1, 2)) };
        let code = CodeEntry {
            language: language_code("a.ts").unwrap(),
            description: Some("What it is.".into()),
            problems: vec![problem],
            inspection: Inspection::from_code(3).unwrap(),
            facts: StoredFacts::of(&facts),
        };
        let entry = Entry {
            path: "src/a.ts".into(),
            size: 12,
            sha256: Sha256Digest::from_bytes([7; 32]),
            is_denied: false,
            times: Some(times),
            code: Some(code),
        };
        let other = Entry { times: None, code: None, ..entry.clone() };
        Content { entries: vec![other, entry.clone(), entry], links: vec![1, 2, 3] }
    }

    /// The content as text, to compare.
    fn render(content: &Content) -> String {
        let facts = content.entries.iter().map(|entry| {
            entry.code.as_ref().map(|code| {
                (
                    code.language,
                    &code.description,
                    &code.problems,
                    code.inspection,
                    code.facts.decode(),
                )
            })
        });
        let plain = content.entries.iter().map(|entry| (&entry.path, entry.size, entry.times));
        format!(
            "{:?} {:?} {:?}",
            facts.collect::<Vec<_>>(),
            plain.collect::<Vec<_>>(),
            content.links
        )
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = CacheBytes::from(encode(&sample()).unwrap());
        assert_eq!(render(&decode(bytes).unwrap()), render(&sample()));
    }

    #[test]
    fn a_time_proves_as_much_as_its_clock_is_fine() {
        const SECOND: i128 = 1_000_000_000;
        let times = |mtime_ns, ctime_ns| Times { mtime_ns, ctime_ns, inode: 1 };
        let fine = times(7 * SECOND, 7 * SECOND + 123_456_789);
        assert!(fine.are_before(8 * SECOND), "its ctime shows that the clock is fine");
        assert!(!fine.are_before(7 * SECOND + 123_456_789));
        let coarse = times(7 * SECOND, 7 * SECOND);
        assert!(!coarse.are_before(7 * SECOND + 900_000_000), "changed in the same second?");
        assert!(!coarse.are_before(8 * SECOND + 900_000_000), "some count in two seconds");
        assert!(coarse.are_before(9 * SECOND));
        let millis = times(SECOND + 5_000_000, SECOND + 5_000_000);
        assert!(!millis.are_before(SECOND + 5_500_000) && millis.are_before(SECOND + 6_000_000));
    }

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
            let facts =
                Extractor::new().extract(path, text.as_bytes(), &ExtractSettings::default());
            assert!(!facts.imports.is_empty());
            assert_eq!(StoredFacts::of(&facts).decode(), facts);
        }
    }

    #[test]
    fn nonsense_is_not_facts() {
        assert_eq!(facts_of(&[]), None);
        assert_eq!(facts_of(&[255; 40]), None);
        let dangling = Facts { glob_reexports: vec![9], ..Facts::default() };
        assert_eq!(facts_of(StoredFacts::of(&dangling).bytes()), None);
    }
}
