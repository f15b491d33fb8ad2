//! Stands in for the crate `crc-fast`, which `object_store` has for one checksum that S3 may be asked to check: its tables for every
//! checksum there is were 680 KB of the binary. What `object_store` does not call is not here, so another use of it fails to compile.

/// Which checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrcAlgorithm {
    /// CRC-64 as NVM Express defines it.
    Crc64Nvme,
}

/// A checksum that is being counted.
#[derive(Clone, Debug)]
pub struct Digest {
    state: u64,
}

/// The polynomial, its lowest power first.
const POLYNOMIAL: u64 = 0xAD93_D235_94C9_3659_u64.reverse_bits();

/// What each byte adds.
const TABLE: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let (mut value, mut bit) = (byte as u64, 0);
        while bit < 8 {
            value = if value & 1 == 1 { (value >> 1) ^ POLYNOMIAL } else { value >> 1 };
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
};

impl Digest {
    /// Of nothing yet.
    pub fn new(CrcAlgorithm::Crc64Nvme: CrcAlgorithm) -> Self {
        Self { state: u64::MAX }
    }

    /// Adds bytes to what is counted.
    pub fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let at = self.state.to_le_bytes()[0] ^ byte;
            self.state = TABLE[usize::from(at)] ^ (self.state >> 8);
        }
    }

    /// The checksum.
    pub fn finalize(&self) -> u64 {
        !self.state
    }
}

#[cfg(test)]
mod tests {
    use super::{CrcAlgorithm, Digest};

    /// The values that catalogues of checksums and the specification give.
    #[test]
    fn the_checksum_is_the_one_that_everybody_counts() {
        let of = |parts: &[&[u8]]| {
            let mut digest = Digest::new(CrcAlgorithm::Crc64Nvme);
            for part in parts {
                digest.update(part);
            }
            digest.finalize()
        };
        assert_eq!(of(&[b"123456789"]), 0xAE8B_1486_0A79_9888);
        assert_eq!(of(&[b"1234", b"", b"56789"]), 0xAE8B_1486_0A79_9888);
        assert_eq!(of(&[&[0; 4096]]), 0x6482_D367_EB22_B64E);
        assert_eq!(of(&[&[0xFF; 4096]]), 0xC0DD_BA73_02EC_A3AC);
        assert_eq!(of(&[]), 0);
    }
}
