//! Writes rows as Parquet: the same rows give the same bytes.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer};
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnDescPtr, ColumnPath};
use portolan_wire::atlas::{
    DeclarationRow, EdgeRow, FileRow, PackageRow, ReferenceRow, ReferenceTarget, RepositoryRow,
};
use rayon::prelude::*;

use crate::tables::{ColumnKind, Table};

/// The writer's name in the file. Without a library version, which would change bytes for no reason.
const CREATED_BY: &str = "portolan atlas 1";
/// The number of rows per group.
const GROUP_ROWS: usize = 65_536;
/// Longer bounds of a column are truncated.
const LONGEST_BOUND: usize = 96;

/// A row of a table.
pub(crate) trait TableRow {
    /// The table.
    const TABLE: &'static str;
    /// Columns with a Bloom filter, for lookups of single values.
    const FILTERED: &'static [&'static str] = &[];

    /// Writes its cells, in the order of the columns after `repository` and `digest`.
    fn write(&self, cells: &mut Cells<'_>);

    /// Whether a new row group starts with this row.
    fn is_apart(&self, _before: &Self) -> bool {
        false
    }
}

/// The cells of one row.
pub(crate) struct Cells<'c> {
    columns: &'c mut [ColumnValues],
    at: usize,
}

impl Cells<'_> {
    fn next(&mut self) -> Option<&mut ColumnValues> {
        self.at += 1;
        self.columns.get_mut(self.at - 1)
    }

    pub(crate) fn text(&mut self, text: &str) {
        if let Some(ColumnValues::Text { texts, .. }) = self.next() {
            texts.push(text);
        }
    }

    pub(crate) fn maybe(&mut self, text: Option<&str>) {
        if let Some(ColumnValues::Text { texts, levels }) = self.next() {
            levels.push(i16::from(text.is_some()));
            if let Some(text) = text {
                texts.push(text);
            }
        }
    }

    #[expect(clippy::cast_possible_wrap, reason = "sizes and lines are small")]
    pub(crate) fn number(&mut self, number: u64) {
        if let Some(ColumnValues::Number { values, .. }) = self.next() {
            values.push(number as i64);
        }
    }

    #[expect(clippy::cast_possible_wrap, reason = "sizes and lines are small")]
    pub(crate) fn maybe_number(&mut self, number: Option<u64>) {
        if let Some(ColumnValues::Number { values, levels }) = self.next() {
            levels.push(i16::from(number.is_some()));
            values.extend(number.map(|number| number as i64));
        }
    }

    pub(crate) fn texts(&mut self, own: &[String]) {
        if let Some(ColumnValues::Texts { texts, levels, repeats }) = self.next() {
            if own.is_empty() {
                levels.push(0);
                repeats.push(0);
            }
            for (number, text) in own.iter().enumerate() {
                levels.push(1);
                repeats.push(i16::from(number > 0));
                texts.push(text);
            }
        }
    }
}

/// Concatenated texts, to avoid an allocation for each.
struct PackedTexts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl PackedTexts {
    fn with_capacity(rows: usize) -> Self {
        Self { bytes: Vec::new(), ends: Vec::with_capacity(rows) }
    }

    fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(self.bytes.len());
    }

    /// Each text as a slice of the whole.
    fn into_values(self) -> Vec<ByteArray> {
        let all = Bytes::from(self.bytes);
        let mut start = 0;
        let each = self.ends.into_iter().map(|end| {
            let own = all.slice(start..end);
            start = end;
            own.into()
        });
        each.collect()
    }
}

/// The values of a column.
enum ColumnValues {
    Text { texts: PackedTexts, levels: Vec<i16> },
    Number { values: Vec<i64>, levels: Vec<i16> },
    Texts { texts: PackedTexts, levels: Vec<i16>, repeats: Vec<i16> },
}

/// An encoded column of a row group.
type EncodedColumn = (Bytes, ColumnCloseResult);

impl ColumnValues {
    /// An empty column with capacity for some rows.
    fn new(kind: ColumnKind, rows: usize) -> Self {
        let (texts, levels) = (PackedTexts::with_capacity(rows), Vec::with_capacity(rows));
        match kind {
            ColumnKind::Text | ColumnKind::MaybeText => Self::Text { texts, levels },
            ColumnKind::Number | ColumnKind::MaybeNumber => {
                Self::Number { values: Vec::with_capacity(rows), levels }
            }
            ColumnKind::Texts => Self::Texts { texts, levels, repeats: Vec::with_capacity(rows) },
        }
    }

    /// Encodes the column of a row group.
    fn encode(
        self,
        column: &ColumnDescPtr,
        properties: &WriterPropertiesPtr,
    ) -> Result<EncodedColumn> {
        let mut sink = TrackedWrite::new(Vec::new());
        let pages = Box::new(SerializedPageWriter::new(&mut sink));
        let mut writer = get_column_writer(Arc::clone(column), Arc::clone(properties), pages);
        self.write(&mut writer)?;
        let closed = writer.close()?;
        Ok((sink.into_inner()?.into(), closed))
    }

    fn write(self, writer: &mut ColumnWriter<'_>) -> Result<usize> {
        let some = |levels: Vec<i16>| Some(levels).filter(|levels| !levels.is_empty());
        match (self, writer) {
            (Self::Text { texts, levels }, ColumnWriter::ByteArrayColumnWriter(writer)) => {
                writer.write_batch(&texts.into_values(), some(levels).as_deref(), None)
            }
            (Self::Number { values, levels }, ColumnWriter::Int64ColumnWriter(writer)) => {
                writer.write_batch(&values, some(levels).as_deref(), None)
            }
            (
                Self::Texts { texts, levels, repeats },
                ColumnWriter::ByteArrayColumnWriter(writer),
            ) => writer.write_batch(&texts.into_values(), Some(&levels), Some(&repeats)),
            _ => Err(ParquetError::General("a column has the wrong type".to_owned())),
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

/// Encodes a table of a set as a file.
pub(crate) fn encode<R: TableRow>(repository: &str, digest: &str, rows: &[R]) -> Result<Vec<u8>> {
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

/// The end of the row group that starts at a row.
fn group_end<R: TableRow>(rows: &[R], start: usize) -> usize {
    let most = rows.len().min(start + GROUP_ROWS);
    let pairs = rows.get(start..most).unwrap_or_default().windows(2);
    let apart = pairs.into_iter().position(|pair| pair[1].is_apart(&pair[0]));
    apart.map_or(most, |at| start + at + 1)
}

fn write_group<R: TableRow>(
    writer: &mut SerializedFileWriter<Vec<u8>>,
    table: &Table,
    (repository, digest): (&str, &str),
    rows: &[R],
) -> Result<()> {
    let mut columns: Vec<ColumnValues> =
        table.columns.iter().map(|column| ColumnValues::new(column.kind, rows.len())).collect();
    for row in rows {
        let mut cells = Cells { columns: &mut columns, at: 0 };
        cells.text(repository);
        cells.text(digest);
        row.write(&mut cells);
    }
    let (described, properties) = (writer.schema_descr().columns(), writer.properties());
    let columns = columns.into_par_iter().zip(described);
    let columns = columns.map(|(values, column)| values.encode(column, properties));
    let columns: Vec<EncodedColumn> = columns.collect::<Result<_>>()?;
    let mut group = writer.next_row_group()?;
    for (bytes, closed) in columns {
        group.append_column(&bytes, closed)?;
    }
    group.close()?;
    Ok(())
}

impl TableRow for RepositoryRow {
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

impl TableRow for PackageRow {
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

impl TableRow for FileRow {
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

impl TableRow for EdgeRow {
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

    /// Edges that leave the repository come first, so a search for users can stop after them.
    fn is_apart(&self, before: &Self) -> bool {
        self.leaves.is_some() != before.leaves.is_some()
    }
}

impl TableRow for DeclarationRow {
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

impl TableRow for ReferenceRow {
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
