//! Reads arbitrary bytes as a table, for fuzzers.

use crate::parquet_reader::{TableReader, Wanted};
use crate::store::Store;
use crate::tables::TABLES;
use crate::{Atlas, AtlasError};

/// Reads bytes as the file of the table with a number and returns the number of rows. For the repository table, it also
/// opens an atlas with it.
pub fn probe(table: usize, bytes: &[u8]) -> Result<usize, AtlasError> {
    let table = &TABLES[table % TABLES.len()];
    let store = Store::in_memory()?;
    store.put(table.name, "a.parquet", bytes.to_vec())?;
    let columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    let mut count = 0;
    let reader = TableReader::open(&store, table.name, "a.parquet")?;
    reader.read(&columns, &Wanted::All, |rows| {
        for row in 0..rows.count {
            for column in 0..columns.len() {
                let length = rows.text(column, row).len() + rows.list(column, row).len();
                assert!(length <= 1 << 30 && rows.number(column, row) != Some(u64::MAX));
            }
        }
        count += rows.count;
    })?;
    for column in &columns {
        reader.read(&columns, &Wanted::Exactly(column, "name"), |_| {})?;
    }
    if table.name == "repository" {
        count += Atlas::open(store)?.chart().to_text(1_000).len();
    }
    Ok(count)
}
