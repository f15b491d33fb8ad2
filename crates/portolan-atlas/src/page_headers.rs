//! How much the pages of a Parquet column unpack to, by their headers alone.
//!
//! The Parquet reader reserves what a page's header claims, up to 2 GiB, and unpacks it. So a file of
//! a few kilobytes could take all memory. The headers are in Thrift's compact protocol; only sizes
//! and counts are read, everything else is skipped.

/// What the pages of a column claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PageTotals {
    /// The bytes after unpacking.
    pub(crate) bytes: u64,
    /// The values: those of lists count one by one.
    pub(crate) values: u64,
}

/// Structs within structs: a page header has two levels.
const DEEPEST: usize = 8;

/// Adds up the headers of the pages in the bytes of a column; `None` if they cannot be read.
pub(crate) fn totals(column: &[u8]) -> Option<PageTotals> {
    let mut totals = PageTotals::default();
    let mut input = Input { rest: column };
    while !input.rest.is_empty() {
        let header = input.page_header()?;
        totals.bytes = totals.bytes.checked_add(header.unpacked)?;
        totals.values = totals.values.checked_add(header.values)?;
        input.rest = input.rest.get(header.packed..)?;
    }
    Some(totals)
}

struct PageHeader {
    unpacked: u64,
    packed: usize,
    values: u64,
}

struct Input<'a> {
    rest: &'a [u8],
}

/// A field of a struct: its number and its type.
#[derive(Clone, Copy)]
struct Field {
    number: i64,
    kind: u8,
}

/// The types of the compact protocol.
mod kind {
    pub(super) const STOP: u8 = 0;
    pub(super) const TRUE: u8 = 1;
    pub(super) const FALSE: u8 = 2;
    pub(super) const BYTE: u8 = 3;
    pub(super) const I16: u8 = 4;
    pub(super) const I64: u8 = 6;
    pub(super) const DOUBLE: u8 = 7;
    pub(super) const BINARY: u8 = 8;
    pub(super) const LIST: u8 = 9;
    pub(super) const SET: u8 = 10;
    pub(super) const MAP: u8 = 11;
    pub(super) const STRUCT: u8 = 12;
}

impl Input<'_> {
    fn page_header(&mut self) -> Option<PageHeader> {
        // The numbers of the fields in parquet.thrift.
        const UNPACKED: i64 = 2;
        const PACKED: i64 = 3;
        const DATA: i64 = 5;
        const DICTIONARY: i64 = 7;
        const DATA_V2: i64 = 8;
        let (mut unpacked, mut packed, mut values) = (None, None, 0);
        let mut field = self.field(0)?;
        while field.kind != kind::STOP {
            match field.number {
                UNPACKED => unpacked = Some(u64::try_from(self.integer()?).ok()?),
                PACKED => packed = Some(usize::try_from(self.integer()?).ok()?),
                DATA | DICTIONARY | DATA_V2 if field.kind == kind::STRUCT => {
                    values = self.first_number()?;
                }
                _ => self.skip(field.kind, 0)?,
            }
            field = self.field(field.number)?;
        }
        Some(PageHeader { unpacked: unpacked?, packed: packed?, values })
    }

    /// The first field of a struct, which counts values.
    fn first_number(&mut self) -> Option<u64> {
        let (mut found, mut field) = (0, self.field(0)?);
        while field.kind != kind::STOP {
            if field.number == 1 && (kind::I16..=kind::I64).contains(&field.kind) {
                found = u64::try_from(self.integer()?).ok()?;
            } else {
                self.skip(field.kind, 0)?;
            }
            field = self.field(field.number)?;
        }
        Some(found)
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A number with its sign in the last bit.
    fn integer(&mut self) -> Option<i64> {
        let value = self.varint()?;
        let half = i64::try_from(value >> 1).ok()?;
        Some(if value & 1 == 0 { half } else { -half - 1 })
    }

    /// The next field; [`kind::STOP`] is the end of the struct.
    fn field(&mut self, last: i64) -> Option<Field> {
        let byte = self.byte()?;
        let (step, kind) = (i64::from(byte >> 4), byte & 0x0f);
        let number = match (step, kind) {
            (0, kind::STOP) => last,
            (_, kind::STOP) => return None,
            (0, _) => self.integer()?,
            _ => last.checked_add(step)?,
        };
        Some(Field { number, kind })
    }

    fn drop(&mut self, count: u64) -> Option<()> {
        self.rest = self.rest.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            kind::TRUE | kind::FALSE => Some(()),
            kind::BYTE => self.drop(1),
            kind::I16..=kind::I64 => self.varint().map(drop),
            kind::DOUBLE => self.drop(8),
            kind::BINARY => {
                let length = self.varint()?;
                self.drop(length)
            }
            kind::LIST | kind::SET => {
                let byte = self.byte()?;
                let count = if byte >> 4 == 15 { self.varint()? } else { u64::from(byte >> 4) };
                self.skip_each(&[byte & 0x0f], count, depth)
            }
            kind::MAP => {
                let count = self.varint()?;
                let kinds = if count == 0 { 0 } else { self.byte()? };
                self.skip_each(&[kinds >> 4, kinds & 0x0f], count, depth)
            }
            kind::STRUCT if depth < DEEPEST => {
                let mut field = self.field(0)?;
                while field.kind != kind::STOP {
                    self.skip(field.kind, depth + 1)?;
                    field = self.field(field.number)?;
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Skips the elements of a list or a map. In them, a truth value takes a byte.
    fn skip_each(&mut self, kinds: &[u8], count: u64, depth: usize) -> Option<()> {
        if depth >= DEEPEST || count > self.rest.len() as u64 {
            return None;
        }
        for _ in 0..count {
            for kind in kinds {
                match *kind {
                    kind::TRUE | kind::FALSE => self.drop(1)?,
                    kind => self.skip(kind, depth + 1)?,
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::{PageTotals, totals};

    /// A header: type, sizes, and the count of values in the struct of a page.
    fn header(unpacked: u8, packed: u8, page: u8, values: u8) -> Vec<u8> {
        vec![
            0x15,
            0,
            0x15,
            unpacked * 2,
            0x15,
            packed * 2,
            (page - 3) << 4 | 0x0c,
            0x15,
            values * 2,
            0,
            0,
        ]
    }

    #[test]
    fn sizes_and_counts_are_added_up_and_the_rest_is_skipped() {
        let mut column = header(20, 3, 7, 4);
        column.extend([9, 9, 9]);
        column.extend(header(30, 0, 5, 7));
        // Statistics: a text, a list of numbers, a struct.
        let stats = [0x18, 2, 7, 7, 0x19, 0x25, 2, 2, 0x1c, 0x11, 0, 0];
        let inner = [&[0x5c][..], &stats, &[0]].concat();
        let long = [&[0x15, 0, 0x15, 2, 0x15, 0, 0x2c, 0x15, 2][..], &inner, &[0]].concat();
        column.extend(long);
        assert_eq!(totals(&column), Some(PageTotals { bytes: 51, values: 12 }));
        assert_eq!(totals(&[]), Some(PageTotals::default()));
        for end in 1..column.len() {
            let _ = totals(&column[..end]);
        }
    }

    #[test]
    fn nonsense_is_nothing() {
        assert_eq!(totals(&[0x15]), None);
        assert_eq!(totals(&[0x1c; 4_000]), None, "too deep");
        assert_eq!(totals(&[0x19, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]), None, "a list too long");
        assert_eq!(totals(&[0x15, 0, 0x15, 1, 0x15, 0, 0]), None, "a negative size");
        assert_eq!(totals(&header(1, 9, 5, 1)), None, "a page longer than the column");
    }
}
