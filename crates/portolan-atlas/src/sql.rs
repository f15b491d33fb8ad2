//! The tables for SQL engines: views over the files, and the ten queries over the views.

use std::fmt::Write as _;

use crate::look::PackageTarget;
use crate::queries::{AtlasQuery, QUERIES};
use crate::tables::{ColumnKind, TABLES, Table};

/// The default target of queries about one package.
pub const EXAMPLE: &str = "npm:zod#z";

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A single process on any machine.
    DuckDb,
    /// A batch cluster.
    Spark,
    /// An interactive cluster.
    Trino,
}

impl Engine {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::DuckDb, Self::Spark, Self::Trino];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::DuckDb => "duckdb",
            Self::Spark => "spark",
            Self::Trino => "trino",
        }
    }

    /// The statements that create the views, for an atlas at an address. Files keep the rows of replaced sets until
    /// they are pruned; the views leave those rows out.
    pub fn views(self, atlas: &str) -> Vec<String> {
        let atlas = atlas.trim_end_matches('/').replace('\'', "''");
        let mut views = Vec::new();
        for table in &TABLES {
            let source = self.source(table, &atlas, &mut views);
            views.push(if table.name == "repository" {
                format!("{} repository AS SELECT * FROM {source}", self.create())
            } else {
                let columns: Vec<String> =
                    table.columns.iter().map(|it| format!("t.{}", it.name)).collect();
                format!(
                    "{} {} AS SELECT {} FROM {source} t\nJOIN repository r ON t.repository = r.id AND t.digest = r.digest",
                    self.create(),
                    table.name,
                    columns.join(", ")
                )
            });
        }
        views.extend(self.lists());
        views
    }

    fn create(self) -> &'static str {
        match self {
            Self::DuckDb | Self::Trino => "CREATE OR REPLACE VIEW",
            Self::Spark => "CREATE OR REPLACE TEMPORARY VIEW",
        }
    }

    /// The source of a view.
    fn source(self, table: &Table, atlas: &str, before: &mut Vec<String>) -> String {
        match self {
            Self::DuckDb => format!("read_parquet('{atlas}/{}/*.parquet')", table.name),
            Self::Spark => format!("parquet.`{atlas}/{}`", table.name),
            Self::Trino => {
                let columns: Vec<String> = table
                    .columns
                    .iter()
                    .map(|column| {
                        let kind = match column.kind {
                            ColumnKind::Text | ColumnKind::MaybeText => "varchar",
                            ColumnKind::Number | ColumnKind::MaybeNumber => "bigint",
                            ColumnKind::Texts => "array(varchar)",
                        };
                        format!("{} {kind}", column.name)
                    })
                    .collect();
                before.push(format!(
                    "CREATE TABLE IF NOT EXISTS {}_files ({})\nWITH (external_location = '{atlas}/{}', format = 'PARQUET')",
                    table.name,
                    columns.join(", "),
                    table.name
                ));
                format!("{}_files", table.name)
            }
        }
    }

    /// Lists as rows: the modules of packages, their exports, and the dependencies between repositories.
    fn lists(self) -> [String; 3] {
        let create = self.create();
        let (provided, exported) = match self {
            Self::DuckDb => (
                "unnest(modules) AS module FROM package".to_owned(),
                "unnest(exports) AS name FROM package WHERE len(modules) > 0".to_owned(),
            ),
            Self::Spark => (
                "explode(modules) AS module FROM package".to_owned(),
                "explode(exports) AS name FROM package WHERE size(modules) > 0".to_owned(),
            ),
            Self::Trino => (
                "m.module FROM package CROSS JOIN UNNEST(modules) AS m(module)".to_owned(),
                "x.export AS name FROM package CROSS JOIN UNNEST(exports) AS x(export) WHERE cardinality(modules) > 0"
                    .to_owned(),
            ),
        };
        [
            format!(
                "{create} provider AS SELECT repository, ecosystem, name AS package, version, {provided}"
            ),
            format!(
                "{create} exported AS SELECT repository, ecosystem, name AS package, {exported}"
            ),
            format!(
                "{create} dependence AS SELECT DISTINCT e.repository AS source, p.repository AS target FROM edge e\n\
                 JOIN provider p ON p.ecosystem = e.ecosystem AND p.module = e.module WHERE e.repository <> p.repository"
            ),
        ]
    }

    /// Views and queries as a script.
    pub fn script(self, atlas: &str, target: &PackageTarget) -> String {
        let mut text =
            format!("-- The tables of an atlas for {}, then ten questions.\n", self.name());
        for view in self.views(atlas) {
            let _ = writeln!(text, "{view};\n");
        }
        for query in &QUERIES {
            let AtlasQuery { name, about, .. } = query;
            let _ = writeln!(text, "-- {name}: {about}\n{};\n", query.text(target));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Engine;
    use crate::look::PackageTarget;
    use crate::queries::{AtlasQuery, QUERIES};

    #[test]
    fn a_target_cannot_break_out_of_a_string() {
        let target = PackageTarget {
            ecosystem: "npm".to_owned(),
            package: "a'; DROP VIEW edge; --".to_owned(),
            name: Some("b'c".to_owned()),
        };
        let text = AtlasQuery::named("export-users").unwrap().text(&target);
        assert!(text.contains("(SELECT 'a''; DROP VIEW edge; --' UNION"), "{text}");
        assert!(text.contains("substr(name, 1, 4) = 'b''c.'"), "{text}");
    }

    #[test]
    fn every_engine_has_views_of_all_tables_and_ten_queries() {
        let target = PackageTarget {
            ecosystem: "npm".to_owned(),
            package: "zod".to_owned(),
            name: Some("z".to_owned()),
        };
        for engine in Engine::ALL {
            let script = engine.script("s3://bucket/atlas/", &target);
            for table in crate::tables::TABLES {
                assert!(script.contains(&format!("s3://bucket/atlas/{}", table.name)), "{script}");
            }
            assert_eq!(script.matches("\n-- ").count(), QUERIES.len(), "{script}");
            assert!(!script.contains('{'), "{script}");
        }
    }
}
