//! The tables as data: their columns, the meaning of these, and the Parquet schema.

use std::fmt::Write as _;

/// A table.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Its name, and that of its folder.
    pub name: &'static str,
    /// What a row describes.
    pub about: &'static str,
    /// Its columns, in order.
    pub columns: &'static [Column],
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: ColumnKind,
    /// Its meaning.
    pub about: &'static str,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// A text.
    Text,
    /// An optional text.
    MaybeText,
    /// A number.
    Number,
    /// An optional number.
    MaybeNumber,
    /// A list of texts.
    Texts,
}

impl ColumnKind {
    /// Its name in Parquet.
    pub fn parquet(self) -> &'static str {
        match self {
            Self::Text => "required string",
            Self::MaybeText => "optional string",
            Self::Number => "required int64",
            Self::MaybeNumber => "optional int64",
            Self::Texts => "list of strings",
        }
    }
}

const fn column(name: &'static str, kind: ColumnKind, about: &'static str) -> Column {
    Column { name, kind, about }
}

const REPOSITORY: Column = column("repository", ColumnKind::Text, "The repository's `id`.");
const DIGEST: Column = column(
    "digest",
    ColumnKind::Text,
    "The set that the row is of: current where `repository` has the same.",
);

use ColumnKind::{MaybeNumber, MaybeText, Number, Text, Texts};

/// The six tables.
pub const TABLES: [Table; 6] = [
    Table {
        name: "repository",
        about: "A repository. Written last: the other tables count where their `digest` is the one here.",
        columns: &[
            column("id", Text, "What it is called: where it comes from, or its folder's name."),
            column("digest", Text, "The digest of all that the set was made from."),
            column(
                "origin",
                MaybeText,
                "Host and path of the remote `origin`, without credentials.",
            ),
            column("commit", MaybeText, "The commit that was checked out."),
            column("tool", Text, "Who wrote the set, with the version."),
            column("schema", Number, "The version of the tables."),
            column("files", Number, "How many files there are."),
            column("packages", Texts, "Its packages, as `ecosystem:name`."),
            column("provides", Texts, "What others import from it, as `ecosystem:module`."),
            column("uses", Texts, "What it imports from others, as `ecosystem:module`."),
        ],
    },
    Table {
        name: "package",
        about: "A package that a manifest of the repository describes.",
        columns: &[
            REPOSITORY,
            DIGEST,
            column("ecosystem", Text, "`npm`, `pypi`, `cargo`, `go` or `maven`."),
            column("name", Text, "The name it is published under; Maven's as `group:artifact`."),
            column("version", MaybeText, "The version, where the manifest says one."),
            column("path", Text, "Its folder; empty for the root."),
            column(
                "modules",
                Texts,
                "The names that code of others imports it by: none for what is private.",
            ),
            column("exports", Texts, "The names that it exports."),
        ],
    },
    Table {
        name: "file",
        about: "A file of the universe.",
        columns: &[
            REPOSITORY,
            DIGEST,
            column("path", Text, "Its path from the root."),
            column("language", Text, "Its language."),
            column("size", MaybeNumber, "Its length in bytes; nothing where it may hold secrets."),
            column("tokens", MaybeNumber, "Its tokens (o200k_base); nothing where nobody counts."),
            column(
                "sha256",
                MaybeText,
                "The digest of its bytes; nothing where it may hold secrets.",
            ),
            column("description", MaybeText, "What it is for, from its module doc."),
        ],
    },
    Table {
        name: "edge",
        about: "That a file depends on a file or a module.",
        columns: &[
            REPOSITORY,
            DIGEST,
            column("source", Text, "The file."),
            column("target", Text, "What it depends on: a file, a package's file, or a module."),
            column(
                "kinds",
                Text,
                "`runtime`, `type`, `dynamic`: those that hold, with spaces between.",
            ),
            column("resolution", Text, "`explicit`, `implicit` (through re-exports) or `both`."),
            column(
                "ecosystem",
                MaybeText,
                "Where it leaves the repository: the family of packages.",
            ),
            column("module", MaybeText, "Where it leaves the repository: what code imports."),
            column(
                "requirement",
                MaybeText,
                "Where it leaves the repository: the version that the nearest manifest asks for.",
            ),
        ],
    },
    Table {
        name: "declaration",
        about: "A declaration or a member of one.",
        columns: &[
            REPOSITORY,
            DIGEST,
            column("path", Text, "The file."),
            column("name", Text, "Its name, with that of what it is a member of: `Class.member`."),
            column("kind", Text, "`function`, `class`, `interface`, `type`, `method` and so on."),
            column("line", Number, "Its first line, from 1."),
            column("end_line", Number, "Its last line."),
            column("head", Text, "What a user of it must know, on one line, cut at 240 bytes."),
            column(
                "exported_as",
                Texts,
                "The names that its package exports it under; as `ecosystem:package#name` those of other packages of the repository that pass it on.",
            ),
        ],
    },
    Table {
        name: "reference",
        about: "The use of a declaration: within the repository once for each pair of declarations, out of it once a line.",
        columns: &[
            REPOSITORY,
            DIGEST,
            column("path", Text, "The file."),
            column("line", Number, "The line, from 1."),
            column("declaration", MaybeText, "The declaration that the line is in."),
            column("target_path", MaybeText, "The file of what is meant, in the same repository."),
            column("target_name", MaybeText, "The declaration that is meant there."),
            column("target_line", MaybeNumber, "Its line."),
            column(
                "ecosystem",
                MaybeText,
                "Where it leaves the repository: the family of packages.",
            ),
            column("module", MaybeText, "Where it leaves the repository: what code imports."),
            column(
                "name",
                MaybeText,
                "Where it leaves the repository: the exported name, with dots before members.",
            ),
            column("certainty", Text, "`exact` or `likely`."),
        ],
    },
];

impl Table {
    /// The table with a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TABLES.iter().find(|table| table.name == name)
    }

    /// The index of a column.
    pub fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|known| known.name == column)
    }

    /// The Parquet schema.
    pub fn message(&self) -> String {
        let mut text = format!("message {} {{\n", self.name);
        for Column { name, kind, .. } in self.columns {
            let _ = match kind {
                Text => writeln!(text, "  required binary {name} (STRING);"),
                MaybeText => writeln!(text, "  optional binary {name} (STRING);"),
                Number => writeln!(text, "  required int64 {name};"),
                MaybeNumber => writeln!(text, "  optional int64 {name};"),
                Texts => writeln!(
                    text,
                    "  required group {name} (LIST) {{ repeated group list {{ required binary element (STRING); }} }}"
                ),
            };
        }
        text.push_str("}\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::TABLES;

    /// Published tables stay readable: a change here needs a new version, and a reader for the old
    /// one.
    #[test]
    fn the_tables_have_the_schema_of_version_1() {
        let columns = |name: &str| {
            let table = TABLES.iter().find(|table| table.name == name).unwrap();
            let names = table.columns.iter().map(|it| format!("{} {}", it.name, it.kind.parquet()));
            fnv(&names.collect::<Vec<_>>().join("\n"))
        };
        let digests = TABLES.map(|table| (table.name, columns(table.name)));
        let expected = [
            ("repository", 4_193_348_193),
            ("package", 3_513_739_712),
            ("file", 2_675_363_420),
            ("edge", 2_598_564_960),
            ("declaration", 2_276_270_316),
            ("reference", 3_397_092_749),
        ];
        assert_eq!(digests, expected);
        assert_eq!(portolan_wire::atlas::VERSION, 1);
    }

    /// A hash that only needs to detect changes.
    fn fnv(text: &str) -> u32 {
        text.bytes().fold(2_166_136_261, |hash: u32, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(16_777_619)
        })
    }

    #[test]
    fn every_schema_parses() {
        for table in &TABLES {
            let message = table.message();
            let parsed = parquet::schema::parser::parse_message_type(&message);
            assert_eq!(parsed.unwrap().get_fields().len(), table.columns.len(), "{message}");
        }
    }
}
