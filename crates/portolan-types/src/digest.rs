//! SHA-256 digests and their two spellings.

use std::fmt;
use std::str::FromStr;

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};

/// The SHA-256 of some bytes. The code that reads the bytes computes it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256Digest([u8; 32]);

impl Sha256Digest {
    /// Wraps the 32 bytes of a digest.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// 64 lower-case hexadecimal digits.
    pub fn to_hex(&self) -> String {
        HEXLOWER.encode(&self.0)
    }

    /// The short form of the meta (`h`): the first 16 bytes in base64url without padding.
    pub fn to_short(&self) -> String {
        BASE64URL_NOPAD.encode(&self.0[..16])
    }
}

/// The text is not 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseDigestError;

impl fmt::Display for ParseDigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a sha256 as 64 lower-case hexadecimal digits")
    }
}

impl std::error::Error for ParseDigestError {}

impl FromStr for Sha256Digest {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, ParseDigestError> {
        let bytes = HEXLOWER.decode(text.as_bytes()).map_err(|_| ParseDigestError)?;
        bytes.try_into().map(Self).map_err(|_| ParseDigestError)
    }
}

impl fmt::Display for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

impl fmt::Debug for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Sha256Digest;

    #[test]
    fn short_form_is_the_first_sixteen_bytes_in_base64url() {
        let empty: Sha256Digest =
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".parse().unwrap();
        assert_eq!(empty.to_short(), "47DEQpj8HBSa-_TImW-5JA");
    }

    #[test]
    fn only_full_lower_case_hex_is_read() {
        let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert!(hex.parse::<Sha256Digest>().is_ok());
        assert!(hex.to_uppercase().parse::<Sha256Digest>().is_err());
        assert!(hex[..62].parse::<Sha256Digest>().is_err());
        assert!("".parse::<Sha256Digest>().is_err());
    }
}
