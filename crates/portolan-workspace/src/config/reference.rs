//! Documents every key of a configuration file. The reference page is generated from it, and the
//! decoder takes its known keys from it.

/// The documentation of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyDoc {
    /// The key, with dots between sections.
    pub key: &'static str,
    /// The accepted values, in a few words.
    pub takes: &'static str,
    /// The default, as YAML.
    pub default: &'static str,
    /// Another value, as YAML.
    pub example: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
}

const fn key(
    key: &'static str,
    takes: &'static str,
    default: &'static str,
    example: &'static str,
    meaning: &'static str,
) -> KeyDoc {
    KeyDoc { key, takes, default, example, meaning }
}

/// Every key, in the order of the reference page.
pub const KEYS: &[KeyDoc] = &[
    key(
        "stan-core.stanPath",
        "a folder inside the repository",
        ".stan",
        "tools/stan",
        "The workspace. Everything Portolan writes is below it.",
    ),
    key(
        "stan-core.includes",
        "a list of paths or globs from the root",
        "[]",
        "[generated/api.ts]",
        "Brings back what ignore files leave out; installed packages only where a pattern names their folder.",
    ),
    key(
        "stan-core.excludes",
        "a list of paths or globs from the root",
        "[]",
        "[\"**/*.snap\"]",
        "Leaves out, and nothing brings it back: not `includes`, not a selection.",
    ),
    key(
        "stan-core.imports",
        "labels, each with a path, a glob or a list of them",
        "{}",
        "{docs: [../handbook/*.md]}",
        "Files from elsewhere that are staged below `<stanPath>/imports/<label>/`, read-only for the assistant.",
    ),
    key(
        "portolan.scope",
        "a list of paths or globs from the root",
        "[]",
        "[apps/web]",
        "The part of the repository that is mapped and archived; files outside of it are in the map only where something in it uses them.",
    ),
    key(
        "portolan.meta.budget",
        "a number of tokens such as `20000` or `20k`, at least 500, or `none`",
        "20k",
        "none",
        "The most that the map may cost in an archive, counted: the meta where it fits, else a chart that does.",
    ),
    key(
        "portolan.meta.archive",
        "`fit`, `always` or `never`",
        "fit",
        "never",
        "What of the map archives carry: the meta where it is within the budget and else the chart, always the whole meta, or always the chart.",
    ),
    key(
        "portolan.meta.hashes",
        "`short` or `none`",
        "short",
        "none",
        "Whether nodes carry `h`. Without, the meta is smaller; the map always has the full digest.",
    ),
    key(
        "portolan.descriptions.limit",
        "a whole number of UTF-16 units",
        "160",
        "0",
        "The longest description (`d`) of a file; 0 for none.",
    ),
    key(
        "portolan.descriptions.tags",
        "a list of doc tags",
        "[\"@module\", \"@packageDocumentation\"]",
        "[\"@file\"]",
        "The doc tags that mark a file's description.",
    ),
    key(
        "portolan.base.maxFileBytes",
        "a whole number of bytes",
        "65536",
        "10000",
        "The largest top-level file that is in every context archive.",
    ),
    key(
        "portolan.base.maxBytes",
        "a whole number of bytes",
        "16384",
        "40000",
        "How many bytes of top-level files are in every context archive together, README aside: manifests first, then the smallest.",
    ),
    key(
        "portolan.base.files",
        "a list of paths or globs from the root",
        "[]",
        "[docs/architecture.md, main.go]",
        "Files that are in every context archive whatever they are; otherwise code, lockfiles and what is not at the top are not.",
    ),
    key(
        "portolan.secrets.enabled",
        "`true` or `false`",
        "true",
        "false",
        "Whether files that commonly hold secrets are denied.",
    ),
    key(
        "portolan.secrets.allow",
        "a list of paths from the root",
        "[]",
        "[test/fixtures/key.pem]",
        "Single files that the guard lets through.",
    ),
];

/// The names of the keys directly below a section; below `""`, the names of the sections.
pub(super) fn names_below(section: &str) -> Vec<&'static str> {
    let below = |key: &'static str| match section {
        "" => Some(key),
        _ => key.strip_prefix(section)?.strip_prefix('.'),
    };
    let names = KEYS.iter().filter_map(|doc| below(doc.key)?.split('.').next());
    let mut names: Vec<&str> = names.collect();
    names.dedup();
    names
}
