//! Where an atlas is: a folder, or a bucket of one of the clouds.

use std::path::Path as FilePath;
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::path::Path;

use crate::AtlasError;

/// What the environment says of credentials and endpoints: names and values.
pub type Variables = Vec<(String, String)>;

/// Whether an address is that of a bucket, and not of a folder.
pub fn is_bucket(address: &str) -> bool {
    address.contains("://")
}

/// The storage behind an address, and the place in it. A folder must be absolute.
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

/// An address without what may be a secret in it.
pub(crate) fn shown(address: &str) -> String {
    let plain = address.split(['?', '#']).next().unwrap_or(address);
    match plain.split_once("://") {
        Some((scheme, rest)) => format!("{scheme}://{}", rest.rsplit('@').next().unwrap_or(rest)),
        None => address.to_owned(),
    }
}

#[cfg(not(feature = "cloud"))]
fn bucket_store(_: &str, _: &str, _: &[(String, String)]) -> Result<Arc<dyn ObjectStore>, String> {
    Err("this build reads and writes folders only (cargo feature `cloud`)".to_owned())
}

#[cfg(feature = "cloud")]
fn bucket_store(
    scheme: &str,
    bucket: &str,
    variables: &[(String, String)],
) -> Result<Arc<dyn ObjectStore>, String> {
    use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
    use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
    use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};

    trust();
    let said = |prefix: &'static str| {
        let own = variables.iter().filter(move |(name, _)| name.starts_with(prefix));
        own.map(|(name, value)| (name.to_ascii_lowercase(), value.as_str()))
    };
    match scheme {
        "s3" => {
            let mut builder = AmazonS3Builder::new();
            for (name, value) in said("AWS_") {
                if let Ok(key) = name.parse::<AmazonS3ConfigKey>() {
                    builder = builder.with_config(key, value);
                }
            }
            let builder = builder.with_bucket_name(bucket).with_retry(patience());
            builder.build().map(|store| Arc::new(store) as _).map_err(|error| error.to_string())
        }
        "gs" => {
            let mut builder = GoogleCloudStorageBuilder::new();
            for (name, value) in said("GOOGLE_") {
                if let Ok(key) = name.parse::<GoogleConfigKey>() {
                    builder = builder.with_config(key, value);
                }
            }
            let builder = builder.with_bucket_name(bucket).with_retry(patience());
            builder.build().map(|store| Arc::new(store) as _).map_err(|error| error.to_string())
        }
        "az" => {
            let mut builder = MicrosoftAzureBuilder::new();
            for (name, value) in said("AZURE_") {
                if let Ok(key) = name.parse::<AzureConfigKey>() {
                    builder = builder.with_config(key, value);
                }
            }
            let builder = builder.with_container_name(bucket).with_retry(patience());
            builder.build().map(|store| Arc::new(store) as _).map_err(|error| error.to_string())
        }
        _ => Err(format!("`{scheme}://` is none of `s3://`, `gs://`, `az://`")),
    }
}

/// A storage that does not answer is not waited for longer than a person would.
#[cfg(feature = "cloud")]
fn patience() -> object_store::RetryConfig {
    object_store::RetryConfig {
        max_retries: 4,
        retry_timeout: std::time::Duration::from_secs(30),
        ..object_store::RetryConfig::default()
    }
}

/// Says once for the process who does the cryptography of connections.
#[cfg(feature = "cloud")]
fn trust() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // Somebody else may have said so before: that is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

#[cfg(test)]
mod tests {
    use super::{open, shown};

    #[test]
    fn what_is_no_place_says_so_without_telling_secrets() {
        let wrong = |address: &str| open(address, &[]).map(|_| ()).unwrap_err().to_string();
        assert!(wrong("ftp://a/b").contains("none of `s3://`"));
        assert!(wrong("s3://").contains("names no bucket"));
        assert!(wrong("s3://key:secret@bucket/x").starts_with("`s3://bucket/x`"));
        assert_eq!(shown("s3://bucket/x?token=1"), "s3://bucket/x");
    }
}
