//! Reads Parquet: only the requested columns, and only the row groups that may match.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Buf as _, Bytes};
use parquet::bloom_filter::Sbbf;
use parquet::column::reader::ColumnReader;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, FileReader as _, Length};
use parquet::file::serialized_reader::SerializedFileReader;

use crate::AtlasError;
use crate::page_headers;
use crate::store::Store;
use crate::tables::{ColumnKind, Table};

/// A file up to this size is fetched whole, in one call.
const SMALL: u64 = 1 << 20;
/// How much of a group of rows is read at once.
#[derive(Clone, Copy)]
struct GroupLimits {
    /// The most rows. We write a sixteenth of it.
    rows: i64,
    /// The most values of the columns, those of lists one by one.
    values: u64,
    /// The most bytes that the columns unpack to, and that the texts of the rows have.
    bytes: u64,
}

const LIMITS: GroupLimits = GroupLimits { rows: 1 << 20, values: 1 << 24, bytes: 256 << 20 };

/// The footer of a file is usually smaller than this.
const TAIL: u64 = 128 << 10;

/// The values of a column, one per row.
pub(crate) enum ColumnData {
    Texts(Vec<Option<ByteArray>>),
    Numbers(Vec<Option<i64>>),
    Lists(Vec<Vec<ByteArray>>),
}

impl ColumnData {
    fn len(&self) -> usize {
        match self {
            Self::Texts(values) => values.len(),
            Self::Numbers(values) => values.len(),
            Self::Lists(values) => values.len(),
        }
    }

    /// The length of all texts. Rows may share a text; copies of rows do not.
    fn bytes(&self) -> u64 {
        let length = |text: &ByteArray| text.len() as u64;
        match self {
            Self::Texts(values) => values.iter().flatten().map(length).sum(),
            Self::Numbers(_) => 0,
            Self::Lists(values) => values.iter().flatten().map(length).sum(),
        }
    }
}

/// Some rows of a table: the requested columns, in that order.
pub(crate) struct Rows {
    pub(crate) count: usize,
    columns: Vec<ColumnData>,
}

impl Rows {
    /// A text; empty if there is none.
    pub(crate) fn text(&self, column: usize, row: usize) -> &str {
        self.maybe(column, row).unwrap_or_default()
    }

    /// An optional text. Invalid UTF-8 counts as absent, since we never write it.
    pub(crate) fn maybe(&self, column: usize, row: usize) -> Option<&str> {
        match self.columns.get(column)? {
            ColumnData::Texts(values) => values.get(row)?.as_ref()?.as_utf8().ok(),
            ColumnData::Numbers(_) | ColumnData::Lists(_) => None,
        }
    }

    /// A number.
    pub(crate) fn number(&self, column: usize, row: usize) -> Option<u64> {
        match self.columns.get(column)? {
            ColumnData::Numbers(values) => u64::try_from((*values.get(row)?)?).ok(),
            ColumnData::Texts(_) | ColumnData::Lists(_) => None,
        }
    }

    /// The texts of a list.
    pub(crate) fn list(&self, column: usize, row: usize) -> Vec<&str> {
        match self.columns.get(column) {
            Some(ColumnData::Lists(values)) => {
                let values = values.get(row).map(Vec::as_slice).unwrap_or_default();
                values.iter().filter_map(|value| value.as_utf8().ok()).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Which row groups to read.
pub(crate) enum Wanted<'w> {
    /// All.
    All,
    /// Those in which a column may have one of these values, by its bounds.
    Within(&'w str, &'w [&'w str]),
    /// Those in which a column may have this value, by its bounds and its Bloom filter.
    Exactly(&'w str, &'w str),
}

/// The fetched ranges of a file.
#[derive(Clone)]
struct FetchedRanges {
    size: u64,
    parts: Arc<Mutex<BTreeMap<u64, Bytes>>>,
}

impl FetchedRanges {
    fn add(&self, start: u64, bytes: Bytes) {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).insert(start, bytes);
    }

    /// The fetched bytes from an offset on.
    fn from(&self, start: u64) -> Result<Bytes> {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let part = parts.range(..=start).next_back();
        let found = part.and_then(|(at, bytes)| {
            let skip = usize::try_from(start - at).ok()?;
            (skip <= bytes.len()).then(|| bytes.slice(skip..))
        });
        found.ok_or_else(|| ParquetError::General(format!("byte {start} was not fetched")))
    }
}

impl Length for FetchedRanges {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for FetchedRanges {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(Box::new(self.from(start)?.reader()))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let bytes = self.from(start)?;
        let short = || ParquetError::EOF(format!("{length} bytes at {start} are missing"));
        if bytes.len() < length { Err(short()) } else { Ok(bytes.slice(..length)) }
    }
}

/// The file of a table.
pub(crate) struct TableReader<'s> {
    store: &'s Store,
    table: &'static Table,
    name: String,
    fetched: FetchedRanges,
    is_whole: bool,
    reader: SerializedFileReader<FetchedRanges>,
    limits: GroupLimits,
}

impl<'s> TableReader<'s> {
    /// Opens a file by reading its footer.
    pub(crate) fn open(
        store: &'s Store,
        table: &'static str,
        name: &str,
    ) -> std::result::Result<Self, AtlasError> {
        let broken = |error: ParquetError| broken(store, table, name, &error);
        let unknown = || ParquetError::General("there is no such table".to_owned());
        let known = Table::named(table).ok_or_else(unknown).map_err(broken)?;
        let (size, start, bytes) = store.start(table, name, SMALL, TAIL)?;
        let fetched = FetchedRanges { size, parts: Arc::default() };
        let is_whole = start == 0;
        fetched.add(start, bytes);
        let opened = catch_panics(|| SerializedFileReader::new(fetched.clone()));
        let (reader, is_whole) = match opened {
            Ok(reader) => (reader, is_whole),
            // The footer is larger than that.
            Err(_) if !is_whole => {
                fetched.add(0, store.get(table, name)?);
                let whole = catch_panics(|| SerializedFileReader::new(fetched.clone()));
                (whole.map_err(broken)?, true)
            }
            Err(error) => return Err(broken(error)),
        };
        lies_within(reader.metadata(), size).map_err(broken)?;
        Ok(Self {
            store,
            table: known,
            name: name.to_owned(),
            fetched,
            is_whole,
            reader,
            limits: LIMITS,
        })
    }

    /// Reads some columns of the wanted row groups, one group at a time.
    pub(crate) fn read(
        &self,
        columns: &[&str],
        wanted: &Wanted<'_>,
        mut take: impl FnMut(&Rows),
    ) -> std::result::Result<(), AtlasError> {
        for number in 0..self.reader.metadata().num_row_groups() {
            let group = self.reader.metadata().row_group(number);
            if !self.may_hold(group, wanted)? {
                continue;
            }
            let places: Vec<Option<usize>> =
                columns.iter().map(|name| Self::position(group, name)).collect();
            self.fetch(places.iter().flatten().map(|at| {
                let (start, length) = group.column(*at).byte_range();
                start..start + length
            }))?;
            let rows = catch_panics(|| {
                self.is_bounded(group, &places)?;
                self.rows(number, columns, &places)
            });
            take(&rows.map_err(|error| broken(self.store, self.table.name, &self.name, &error))?);
        }
        Ok(())
    }

    /// Checks that some columns of a group unpack to as much as a group of rows has, and not to all
    /// memory. Only the headers of the pages are read.
    fn is_bounded(&self, group: &RowGroupMetaData, places: &[Option<usize>]) -> Result<()> {
        let (mut bytes, mut values) = (0u64, 0u64);
        for place in places.iter().flatten() {
            let (start, length) = group.column(*place).byte_range();
            let column = self.fetched.get_bytes(start, usize::try_from(length).unwrap_or(0))?;
            let unread =
                || ParquetError::General("the pages of a column cannot be read".to_owned());
            let totals = page_headers::totals(&column).ok_or_else(unread)?;
            bytes = bytes.saturating_add(totals.bytes);
            values = values.saturating_add(totals.values);
        }
        let limits = self.limits;
        if group.num_rows() > limits.rows || bytes > limits.bytes || values > limits.values {
            return Err(limits.error(bytes));
        }
        Ok(())
    }

    /// The index of a column; none if the file does not have it.
    fn position(group: &RowGroupMetaData, name: &str) -> Option<usize> {
        let mut leaves = group.columns().iter();
        leaves.position(|leaf| leaf.column_path().parts().first().is_some_and(|it| it == name))
    }

    fn fetch(
        &self,
        ranges: impl Iterator<Item = Range<u64>>,
    ) -> std::result::Result<(), AtlasError> {
        if self.is_whole {
            return Ok(());
        }
        let ranges: Vec<Range<u64>> = ranges.collect();
        let parts = self.store.parts(self.table.name, &self.name, ranges.clone())?;
        for (range, bytes) in ranges.into_iter().zip(parts) {
            self.fetched.add(range.start, bytes);
        }
        Ok(())
    }

    fn may_hold(
        &self,
        group: &RowGroupMetaData,
        wanted: &Wanted<'_>,
    ) -> std::result::Result<bool, AtlasError> {
        let (column, values): (&str, &[&str]) = match wanted {
            Wanted::All => return Ok(true),
            Wanted::Within(column, values) => (column, values),
            Wanted::Exactly(column, value) => (column, std::slice::from_ref(value)),
        };
        let Some(at) = Self::position(group, column) else { return Ok(false) };
        let leaf = group.column(at);
        if let Some(bounds) = leaf.statistics() {
            let is_within = |value: &&str| {
                let value = value.as_bytes();
                bounds.min_bytes_opt().is_none_or(|least| least <= value)
                    && bounds.max_bytes_opt().is_none_or(|most| value <= most)
            };
            let has_none = bounds.null_count_opt() == u64::try_from(group.num_rows()).ok()
                && group.num_rows() > 0;
            if has_none || !values.iter().any(is_within) {
                return Ok(false);
            }
        }
        let Wanted::Exactly(_, value) = wanted else { return Ok(true) };
        let filter = leaf.bloom_filter_offset().zip(leaf.bloom_filter_length());
        if let Some((offset, length)) = filter {
            let start = u64::try_from(offset).unwrap_or_default();
            let end = start.saturating_add(u64::try_from(length).unwrap_or_default());
            self.fetch(std::iter::once(start..end))?;
            let read = catch_panics(|| Sbbf::read_from_column_chunk(leaf, &self.fetched));
            if let Ok(Some(filter)) = read {
                return Ok(filter.check(*value));
            }
        }
        Ok(true)
    }

    fn rows(&self, group: usize, columns: &[&str], places: &[Option<usize>]) -> Result<Rows> {
        let reader = self.reader.get_row_group(group)?;
        let count = usize::try_from(reader.metadata().num_rows()).unwrap_or_default();
        let mut read = Vec::with_capacity(columns.len());
        for (name, place) in columns.iter().zip(places) {
            let known = self.table.position(name).and_then(|at| self.table.columns.get(at));
            let kind = known.map_or(ColumnKind::MaybeText, |column| column.kind);
            read.push(match place {
                Some(place) => column(reader.get_column_reader(*place)?, kind, count)?,
                // The row count in the file is not trusted, so nothing is reserved.
                None => ColumnData::Texts(Vec::new()),
            });
        }
        let bytes: u64 = read.iter().map(ColumnData::bytes).sum();
        if bytes > self.limits.bytes {
            return Err(self.limits.error(bytes));
        }
        let count = read.iter().map(ColumnData::len).max().unwrap_or_default();
        Ok(Rows { count, columns: read })
    }
}

impl GroupLimits {
    fn error(self, bytes: u64) -> ParquetError {
        let (unpacked, most) = (bytes >> 20, self.bytes >> 20);
        ParquetError::General(format!(
            "a group of rows unpacks to {unpacked} MiB; at most {} rows, {} values and {most} MiB are read",
            self.rows, self.values
        ))
    }
}

/// Whether all columns lie within the file. The reader trusts offsets and panics on negative ones.
fn lies_within(metadata: &ParquetMetaData, size: u64) -> Result<()> {
    let mut columns = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    let is_within = columns.all(|column| {
        let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
        let end = u64::try_from(start).ok().zip(u64::try_from(column.compressed_size()).ok());
        end.and_then(|(start, length)| start.checked_add(length)).is_some_and(|end| end <= size)
    });
    let outside = || ParquetError::General("its columns are outside the file".to_owned());
    is_within.then_some(()).ok_or_else(outside)
}

thread_local! {
    static IS_CATCHING_PANICS: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread catches panics of the Parquet reader. A front end that prints panics asks this
/// first.
pub fn is_catching_panics() -> bool {
    IS_CATCHING_PANICS.get()
}

/// Runs work and turns a panic into an error: files are untrusted, and the Parquet reader may panic on them.
fn catch_panics<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = IS_CATCHING_PANICS.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_CATCHING_PANICS.set(before);
    done.unwrap_or_else(|_| Err(ParquetError::General("it cannot be read".to_owned())))
}

fn broken(store: &Store, table: &str, name: &str, error: &ParquetError) -> AtlasError {
    let place = format!("{}/{table}/{name}", store.shown());
    AtlasError::Broken { place, reason: error.to_string() }
}

/// Reads a whole column.
fn column(reader: ColumnReader, kind: ColumnKind, count: usize) -> Result<ColumnData> {
    let (mut levels, mut repeats) = (Vec::new(), Vec::new());
    let is_optional = matches!(kind, ColumnKind::MaybeText | ColumnKind::MaybeNumber);
    match (reader, kind) {
        (ColumnReader::ByteArrayColumnReader(mut reader), ColumnKind::Texts) => {
            let mut values = Vec::new();
            drain(count, |left| {
                reader.read_records(left, Some(&mut levels), Some(&mut repeats), &mut values)
            })?;
            Ok(ColumnData::Lists(lists(values, &levels, &repeats)))
        }
        (
            ColumnReader::ByteArrayColumnReader(mut reader),
            ColumnKind::Text | ColumnKind::MaybeText,
        ) => {
            let mut values = Vec::new();
            drain(count, |left| reader.read_records(left, Some(&mut levels), None, &mut values))?;
            Ok(ColumnData::Texts(spread(values, &levels, is_optional)))
        }
        (
            ColumnReader::Int64ColumnReader(mut reader),
            ColumnKind::Number | ColumnKind::MaybeNumber,
        ) => {
            let mut values = Vec::new();
            drain(count, |left| reader.read_records(left, Some(&mut levels), None, &mut values))?;
            Ok(ColumnData::Numbers(spread(values, &levels, is_optional)))
        }
        _ => Err(ParquetError::General("a column has the wrong type".to_owned())),
    }
}

/// Reads until there are `count` records, or no more.
fn drain(count: usize, mut read: impl FnMut(usize) -> Result<(usize, usize, usize)>) -> Result<()> {
    let mut left = count;
    while left > 0 {
        let (records, _, _) = read(left)?;
        if records == 0 {
            return Err(ParquetError::EOF(format!("{left} rows are missing")));
        }
        left = left.saturating_sub(records);
    }
    Ok(())
}

/// Inserts `None` where a value is absent.
fn spread<T>(values: Vec<T>, levels: &[i16], is_optional: bool) -> Vec<Option<T>> {
    let mut values = values.into_iter();
    if !is_optional {
        return values.map(Some).collect();
    }
    levels.iter().map(|level| if *level > 0 { values.next() } else { None }).collect()
}

fn lists(values: Vec<ByteArray>, levels: &[i16], repeats: &[i16]) -> Vec<Vec<ByteArray>> {
    let mut values = values.into_iter();
    let mut lists: Vec<Vec<ByteArray>> = Vec::new();
    for (level, repeat) in levels.iter().zip(repeats) {
        if *repeat == 0 {
            lists.push(Vec::new());
        }
        if *level > 0
            && let (Some(list), Some(value)) = (lists.last_mut(), values.next())
        {
            list.push(value);
        }
    }
    lists
}

#[cfg(test)]
mod tests {
    use std::panic;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use parquet::file::reader::FileReader as _;
    use portolan_wire::atlas::DeclarationRow;

    use super::{GroupLimits, TableReader, Wanted, catch_panics, is_catching_panics};
    use crate::parquet_writer::encode;
    use crate::store::Store;
    use crate::tables::TABLES;

    fn rows() -> Vec<DeclarationRow> {
        let row = |number: u32| DeclarationRow {
            path: format!("src/file{}.ts", number / 7),
            name: format!("name{number}"),
            kind: "function",
            line: number,
            end_line: number + 3,
            head: format!("function name{number}(a: string)"),
            exported_as: (0..number % 3).map(|it| format!("export{it}")).collect(),
        };
        (0..300).map(row).collect()
    }

    fn read(store: &Store, wanted: &Wanted<'_>) -> Result<Vec<String>, String> {
        let told = |error: crate::AtlasError| error.to_string();
        let reader = TableReader::open(store, "declaration", "a.parquet").map_err(told)?;
        let mut found = Vec::new();
        let columns = ["name", "line", "exported_as", "column of a later version"];
        let read = reader.read(&columns, wanted, |rows| {
            for row in 0..rows.count {
                let exported = rows.list(2, row).join(" ");
                let line = rows.number(1, row).unwrap_or_default();
                assert_eq!(rows.maybe(3, row), None);
                found.push(format!("{} {line} [{exported}]", rows.text(0, row)));
            }
        });
        read.map_err(told)?;
        Ok(found)
    }

    #[test]
    fn written_rows_are_read_back_and_the_filter_excludes_absent_values() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().to_str().unwrap(), &[]).unwrap();
        let bytes = encode("r", "d", &rows()).unwrap();
        assert_eq!(bytes, encode("r", "d", &rows()).unwrap());
        store.put("declaration", "a.parquet", bytes).unwrap();
        let all = read(&store, &Wanted::All).unwrap();
        assert_eq!((all.len(), all[5].as_str()), (300, "name5 5 [export0 export1]"));
        assert_eq!(read(&store, &Wanted::Exactly("name", "name7")).unwrap().len(), 300);
        assert_eq!(read(&store, &Wanted::Exactly("name", "zebra")).unwrap().len(), 0, "bounds");
        assert_eq!(read(&store, &Wanted::Exactly("name", "name5x")).unwrap().len(), 0, "filter");
    }

    /// One text of many megabytes, many rows that share a text, many values in a list: a few kilobytes each.
    #[test]
    fn a_file_that_unpacks_to_all_memory_is_rejected() {
        let row = |head: String, exported_as: Vec<String>| DeclarationRow {
            head,
            exported_as,
            ..rows().remove(0)
        };
        let long = "x".repeat(1 << 16);
        let bombs = [
            (0..40).map(|n| row(format!("{n}{long}"), Vec::new())).collect::<Vec<_>>(),
            (0..40).map(|_| row(long.clone(), Vec::new())).collect(),
            (0..40).map(|_| row(String::new(), vec!["e".to_owned(); 600])).collect(),
            (0..400).map(|_| row(String::new(), Vec::new())).collect(),
        ];
        for (number, rows) in bombs.iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::open(folder.path().to_str().unwrap(), &[]).unwrap();
            let bytes = encode("r", "d", rows).unwrap();
            assert!(bytes.len() < 16 << 10, "{number}: {}", bytes.len());
            store.put("declaration", "a.parquet", bytes).unwrap();
            let mut reader = TableReader::open(&store, "declaration", "a.parquet").unwrap();
            assert!(reader.read(&["head", "exported_as"], &Wanted::All, |_| {}).is_ok());
            reader.limits = GroupLimits { rows: 300, values: 1 << 14, bytes: 1 << 20 };
            let read = reader.read(&["name", "head", "exported_as"], &Wanted::All, |_| {});
            let error = read.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(
                error.contains("a.parquet") && error.contains("unpacks to"),
                "{number}: {error}"
            );
            let is_read = reader.read(&["name"], &Wanted::All, |_| {}).is_ok();
            assert_eq!(is_read, number < 3, "{number}: the other columns are small");
        }
    }

    #[test]
    fn a_damaged_file_gives_an_error_or_other_rows_but_no_panic() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().to_str().unwrap(), &[]).unwrap();
        let bytes = encode("r", "d", &rows()).unwrap();
        let mut seed = 1u64;
        for _ in 0..1_000 {
            let mut damaged = bytes.clone();
            for _ in 0..3 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let at = (seed >> 33) as usize % damaged.len();
                damaged[at] ^= (seed >> 20) as u8 | 1;
            }
            damaged.truncate(damaged.len() - (seed >> 60) as usize % 3);
            store.put("declaration", "a.parquet", damaged).unwrap();
            let _ = read(&store, &Wanted::All);
            let _ = read(&store, &Wanted::Exactly("name", "name7"));
        }
    }

    #[test]
    fn columns_outside_the_file_are_rejected_before_they_are_read() {
        let found = include_bytes!("../../../fuzz/corpus/atlas/outside");
        let table = &TABLES[usize::from(found[0]) % TABLES.len()];
        let store = Store::in_memory().unwrap();
        store.put(table.name, "a.parquet", found[1..].to_vec()).unwrap();
        let error = TableReader::open(&store, table.name, "a.parquet").err().unwrap().to_string();
        assert!(error.contains("its columns are outside the file"), "{error}");
    }

    /// Found by libFuzzer: a page that needs a dictionary, in a column without one. The reader panics on it.
    #[test]
    fn a_panic_of_the_reader_becomes_an_error() {
        static HEARD: AtomicUsize = AtomicUsize::new(0);
        let found = include_bytes!("../../../fuzz/corpus/atlas/dictionary");
        let before = panic::take_hook();
        panic::set_hook(Box::new(|_| {
            HEARD.fetch_add(usize::from(!is_catching_panics()), Ordering::Relaxed);
        }));
        let table = &TABLES[usize::from(found[0]) % TABLES.len()];
        let store = Store::in_memory().unwrap();
        store.put(table.name, "a.parquet", found[1..].to_vec()).unwrap();
        let reader = TableReader::open(&store, table.name, "a.parquet").unwrap();
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
        let group = reader.reader.metadata().row_group(0);
        let places: Vec<_> = columns.iter().map(|it| TableReader::position(group, it)).collect();
        let panicked = catch_panics(|| reader.rows(0, &columns, &places).map(|_| ()));
        let refused = reader.read(&columns, &Wanted::All, |_| {});
        panic::set_hook(before);
        let error = panicked.err().map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.contains("it cannot be read")));
        assert!(refused.is_err());
        assert_eq!(HEARD.load(Ordering::Relaxed), 0);
        assert!(!is_catching_panics());
    }
}
