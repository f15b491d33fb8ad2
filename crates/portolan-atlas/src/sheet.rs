//! Rows to Parquet: the same rows give the same bytes.

use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use portolan_wire::atlas::{
    DeclarationRow, EdgeRow, FileRow, PackageRow, ReferenceRow, ReferenceTarget, RepositoryRow,
};

use crate::tables::{Kind, Table};

/// Who wrote a file. No version of a library: it would change bytes that say the same.
const CREATED_BY: &str = "portolan atlas 1";
/// So many rows are skipped or read together.
const GROUP_ROWS: usize = 65_536;
/// A bound of a column longer than this is cut.
const LONGEST_BOUND: usize = 96;

/// A row, as it goes into a table.
pub(crate) trait Row {
    /// The table.
    const TABLE: &'static str;
    /// Columns that are asked for single values: a filter tells where they are not.
    const FILTERED: &'static [&'static str] = &[];

    /// Hands over its cells, in the order of the columns after `repository` and `digest`.
    fn write(&self, cells: &mut Cells<'_>);

    /// Whether a new group of rows begins with it, seen from the one before.
    fn is_apart(&self, _before: &Self) -> bool {
        false
    }
}

/// The cells of one row.
pub(crate) struct Cells<'c> {
    columns: &'c mut [Values],
    at: usize,
}

impl Cells<'_> {
    fn next(&mut self) -> Option<&mut Values> {
        self.at += 1;
        self.columns.get_mut(self.at - 1)
    }

    pub(crate) fn text(&mut self, text: &str) {
        if let Some(Values::Text { values, .. }) = self.next() {
            values.push(text.into());
        }
    }

    pub(crate) fn maybe(&mut self, text: Option<&str>) {
        if let Some(Values::Text { values, levels }) = self.next() {
            levels.push(i16::from(text.is_some()));
            values.extend(text.map(ByteArray::from));
        }
    }

    #[expect(clippy::cast_possible_wrap, reason = "sizes and lines are small")]
    pub(crate) fn number(&mut self, number: u64) {
        if let Some(Values::Number { values, .. }) = self.next() {
            values.push(number as i64);
        }
    }

    #[expect(clippy::cast_possible_wrap, reason = "sizes and lines are small")]
    pub(crate) fn maybe_number(&mut self, number: Option<u64>) {
        if let Some(Values::Number { values, levels }) = self.next() {
            levels.push(i16::from(number.is_some()));
            values.extend(number.map(|number| number as i64));
        }
    }

    pub(crate) fn texts(&mut self, texts: &[String]) {
        if let Some(Values::Texts { values, levels, repeats }) = self.next() {
            if texts.is_empty() {
                levels.push(0);
                repeats.push(0);
            }
            for (number, text) in texts.iter().enumerate() {
                levels.push(1);
                repeats.push(i16::from(number > 0));
                values.push(text.as_str().into());
            }
        }
    }
}

/// The values of a column.
enum Values {
    Text { values: Vec<ByteArray>, levels: Vec<i16> },
    Number { values: Vec<i64>, levels: Vec<i16> },
    Texts { values: Vec<ByteArray>, levels: Vec<i16>, repeats: Vec<i16> },
}

impl Values {
    fn new(kind: Kind) -> Self {
        let levels = Vec::new();
        match kind {
            Kind::Text | Kind::MaybeText => Self::Text { values: Vec::new(), levels },
            Kind::Number | Kind::MaybeNumber => Self::Number { values: Vec::new(), levels },
            Kind::Texts => Self::Texts { values: Vec::new(), levels, repeats: Vec::new() },
        }
    }

    fn write(&self, writer: &mut ColumnWriter<'_>) -> Result<usize> {
        let some = |levels: &'_ [i16]| (!levels.is_empty()).then(|| levels.to_vec());
        match (self, writer) {
            (Self::Text { values, levels }, ColumnWriter::ByteArrayColumnWriter(writer)) => {
                writer.write_batch(values, some(levels).as_deref(), None)
            }
            (Self::Number { values, levels }, ColumnWriter::Int64ColumnWriter(writer)) => {
                writer.write_batch(values, some(levels).as_deref(), None)
            }
            (
                Self::Texts { values, levels, repeats },
                ColumnWriter::ByteArrayColumnWriter(writer),
            ) => writer.write_batch(values, Some(levels), Some(repeats)),
            _ => Err(ParquetError::General("a column is not of its kind".to_owned())),
        }
    }
}

fn properties(filtered: &[&str], rows: usize) -> Result<WriterPropertiesPtr> {
    let mut properties = WriterProperties::builder()
        .set_created_by(CREATED_BY.to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(9)?))
        .set_statistics_truncate_length(Some(LONGEST_BOUND))
        .set_column_index_truncate_length(Some(LONGEST_BOUND));
    for name in filtered {
        let path = ColumnPath::from(*name);
        properties = properties
            .set_column_bloom_filter_enabled(path.clone(), true)
            .set_column_bloom_filter_fpp(path.clone(), 0.05)
            .set_column_bloom_filter_max_ndv(path, rows.clamp(64, GROUP_ROWS) as u64);
    }
    Ok(Arc::new(properties.build()))
}

/// A table of a set as the bytes of a file.
pub(crate) fn encode<R: Row>(repository: &str, digest: &str, rows: &[R]) -> Result<Vec<u8>> {
    let unknown = || ParquetError::General("there is no such table".to_owned());
    let table = Table::named(R::TABLE).ok_or_else(unknown)?;
    let schema = Arc::new(parse_message_type(&table.message())?);
    let properties = properties(R::FILTERED, rows.len())?;
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties)?;
    let mut start = 0;
    while start < rows.len() || (start == 0 && rows.is_empty()) {
        let end = group_end(rows, start);
        let group = rows.get(start..end).unwrap_or_default();
        write_group(&mut writer, table, (repository, digest), group)?;
        start = end;
        if rows.is_empty() {
            break;
        }
    }
    writer.into_inner()
}

/// Where the group that begins at a row ends.
fn group_end<R: Row>(rows: &[R], start: usize) -> usize {
    let most = rows.len().min(start + GROUP_ROWS);
    let pairs = rows.get(start..most).unwrap_or_default().windows(2);
    let apart = pairs.into_iter().position(|pair| pair[1].is_apart(&pair[0]));
    apart.map_or(most, |at| start + at + 1)
}

fn write_group<R: Row>(
    writer: &mut SerializedFileWriter<Vec<u8>>,
    table: &Table,
    (repository, digest): (&str, &str),
    rows: &[R],
) -> Result<()> {
    let mut columns: Vec<Values> =
        table.columns.iter().map(|column| Values::new(column.kind)).collect();
    for row in rows {
        let mut cells = Cells { columns: &mut columns, at: 0 };
        cells.text(repository);
        cells.text(digest);
        row.write(&mut cells);
    }
    let mut group = writer.next_row_group()?;
    for values in &columns {
        let missing = || ParquetError::General("a column is missing".to_owned());
        let mut column = group.next_column()?.ok_or_else(missing)?;
        values.write(column.untyped())?;
        column.close()?;
    }
    group.close()?;
    Ok(())
}

impl Row for RepositoryRow {
    const TABLE: &'static str = "repository";

    fn write(&self, cells: &mut Cells<'_>) {
        cells.maybe(self.origin.as_deref());
        cells.maybe(self.commit.as_deref());
        cells.text(&self.tool);
        cells.number(u64::from(self.schema));
        cells.number(self.files);
        cells.texts(&self.packages);
        cells.texts(&self.provides);
        cells.texts(&self.uses);
    }
}

impl Row for PackageRow {
    const TABLE: &'static str = "package";

    fn write(&self, cells: &mut Cells<'_>) {
        cells.text(&self.ecosystem);
        cells.text(&self.name);
        cells.maybe(self.version.as_deref());
        cells.text(&self.path);
        cells.texts(&self.modules);
        cells.texts(&self.exports);
    }
}

impl Row for FileRow {
    const TABLE: &'static str = "file";

    fn write(&self, cells: &mut Cells<'_>) {
        cells.text(&self.path);
        cells.text(&self.language);
        cells.maybe_number(self.size);
        cells.maybe_number(self.tokens);
        cells.maybe(self.sha256.as_deref());
        cells.maybe(self.description.as_deref());
    }
}

impl Row for EdgeRow {
    const TABLE: &'static str = "edge";

    fn write(&self, cells: &mut Cells<'_>) {
        cells.text(&self.source);
        cells.text(&self.target);
        cells.text(&self.kinds);
        cells.text(self.resolution);
        let leaves = self.leaves.as_ref();
        cells.maybe(leaves.map(|it| it.ecosystem.as_str()));
        cells.maybe(leaves.map(|it| it.module.as_str()));
        cells.maybe(leaves.and_then(|it| it.requirement.as_deref()));
    }

    /// What leaves comes first: who asks for users reads no further.
    fn is_apart(&self, before: &Self) -> bool {
        self.leaves.is_some() != before.leaves.is_some()
    }
}

impl Row for DeclarationRow {
    const TABLE: &'static str = "declaration";
    const FILTERED: &'static [&'static str] = &["name"];

    fn write(&self, cells: &mut Cells<'_>) {
        cells.text(&self.path);
        cells.text(&self.name);
        cells.text(self.kind);
        cells.number(u64::from(self.line));
        cells.number(u64::from(self.end_line));
        cells.text(&self.head);
        cells.texts(&self.exported_as);
    }
}

impl Row for ReferenceRow {
    const TABLE: &'static str = "reference";

    fn write(&self, cells: &mut Cells<'_>) {
        cells.text(&self.path);
        cells.number(u64::from(self.line));
        cells.maybe(self.declaration.as_deref());
        let (here, elsewhere) = match &self.target {
            ReferenceTarget::Here { path, name, line } => (Some((path, name, *line)), None),
            ReferenceTarget::Elsewhere { ecosystem, module, name } => {
                (None, Some((ecosystem, module, name)))
            }
        };
        cells.maybe(here.map(|it| it.0.as_str()));
        cells.maybe(here.map(|it| it.1.as_str()));
        cells.maybe_number(here.map(|it| u64::from(it.2)));
        cells.maybe(elsewhere.map(|it| it.0.as_str()));
        cells.maybe(elsewhere.map(|it| it.1.as_str()));
        cells.maybe(elsewhere.map(|it| it.2.as_str()));
        cells.text(if self.is_exact { "exact" } else { "likely" });
    }

    fn is_apart(&self, before: &Self) -> bool {
        let is_here = |row: &Self| matches!(row.target, ReferenceTarget::Here { .. });
        is_here(self) != is_here(before)
    }
}
