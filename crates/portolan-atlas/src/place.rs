//! The location of an atlas: a folder, or a cloud bucket.

use std::path::Path as FilePath;
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::path::Path;

use crate::AtlasError;
#[cfg(feature = "cloud")]
use crate::cloud::bucket_store;

/// Environment variables with credentials and endpoints: names and values.
pub type Variables = Vec<(String, String)>;

/// Whether an address names a bucket, not a folder.
pub fn is_bucket(address: &str) -> bool {
    address.contains("://")
}

/// The storage for an address, and the path in it. A folder must be absolute.
pub(crate) fn open(
    address: &str,
    variables: &[(String, String)],
) -> Result<(Arc<dyn ObjectStore>, Path), AtlasError> {
    let wrong = |reason: String| AtlasError::Place { place: shown(address), reason };
    let Some((scheme, rest)) = address.split_once("://") else {
        let base = Path::from_absolute_path(FilePath::new(address));
        let base = base.map_err(|error| wrong(error.to_string()))?;
        return Ok((Arc::new(LocalFileSystem::new()), base));
    };
    let (bucket, inside) = rest.split_once('/').unwrap_or((rest, ""));
    if bucket.is_empty() || bucket.contains('@') {
        return Err(wrong("it names no bucket".to_owned()));
    }
    let inside = Path::parse(inside.trim_matches('/')).map_err(|error| wrong(error.to_string()))?;
    let store = bucket_store(scheme, bucket, variables).map_err(wrong)?;
    Ok((store, inside))
}

/// An address without anything that may be secret.
pub(crate) fn shown(address: &str) -> String {
    let plain = address.split(['?', '#']).next().unwrap_or(address);
    match plain.split_once("://") {
        Some((scheme, rest)) => format!("{scheme}://{}", rest.rsplit('@').next().unwrap_or(rest)),
        None => address.to_owned(),
    }
}

#[cfg(not(feature = "cloud"))]
fn bucket_store(_: &str, _: &str, _: &[(String, String)]) -> Result<Arc<dyn ObjectStore>, String> {
    Err("this build reads and writes folders only; build it with `--features cloud`, or install a package".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{open, shown};

    #[test]
    fn errors_about_addresses_do_not_show_secrets() {
        let wrong = |address: &str| open(address, &[]).map(|_| ()).unwrap_err().to_string();
        assert!(wrong("ftp://a/b").contains("not one of `s3://`"));
        assert!(wrong("s3://").contains("names no bucket"));
        assert!(wrong("s3://key:secret@bucket/x").starts_with("`s3://bucket/x`"));
        assert_eq!(shown("s3://bucket/x?token=1"), "s3://bucket/x");
    }
}
