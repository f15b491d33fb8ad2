//! Buckets of the three clouds. `object_store` knows the protocol of each, `client` how to reach it.

mod client;

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::{ObjectStore, RetryConfig};

use self::client::Connector;

/// The storage of a bucket.
pub(crate) fn bucket_store(
    scheme: &str,
    bucket: &str,
    variables: &[(String, String)],
) -> Result<Arc<dyn ObjectStore>, String> {
    let connector = Connector::from_variables(variables)?;
    let variable =
        |name| variables.iter().find(|(known, _)| known == name).map(|(_, it)| it.as_str());
    let is_plain = ["AWS_ENDPOINT", "AWS_ENDPOINT_URL"]
        .into_iter()
        .any(|name| variable(name).is_some_and(|url| url.starts_with("http://")));
    if scheme == "s3" && is_plain && variable("AWS_ALLOW_HTTP") != Some("true") {
        return Err("the endpoint is not https (AWS_ALLOW_HTTP=true allows it)".to_owned());
    }
    let said = |prefix: &'static str| {
        let own = variables.iter().filter(move |(name, _)| name.starts_with(prefix));
        own.map(|(name, value)| (name.to_ascii_lowercase(), value.as_str()))
    };
    let opened = match scheme {
        "s3" => {
            let mut builder = AmazonS3Builder::new();
            for (name, value) in said("AWS_") {
                if let Ok(key) = name.parse::<AmazonS3ConfigKey>() {
                    builder = builder.with_config(key, value);
                }
            }
            let builder = builder.with_bucket_name(bucket).with_retry(retry_config());
            builder.with_http_connector(connector).build().map(|store| Arc::new(store) as _)
        }
        "gs" => {
            let mut builder = GoogleCloudStorageBuilder::new();
            for (name, value) in said("GOOGLE_") {
                if let Ok(key) = name.parse::<GoogleConfigKey>() {
                    builder = builder.with_config(key, value);
                }
            }
            let builder = builder.with_bucket_name(bucket).with_retry(retry_config());
            builder.with_http_connector(connector).build().map(|store| Arc::new(store) as _)
        }
        "az" => {
            let mut builder = MicrosoftAzureBuilder::new();
            for (name, value) in said("AZURE_") {
                if let Ok(key) = name.parse::<AzureConfigKey>() {
                    builder = builder.with_config(key, value);
                }
            }
            let builder = builder.with_container_name(bucket).with_retry(retry_config());
            builder.with_http_connector(connector).build().map(|store| Arc::new(store) as _)
        }
        _ => return Err(format!("`{scheme}://` is not one of `s3://`, `gs://`, `az://`")),
    };
    opened.map_err(|error| error.to_string())
}

/// Retries that end before a user loses patience.
fn retry_config() -> RetryConfig {
    RetryConfig { max_retries: 4, retry_timeout: Duration::from_secs(30), ..RetryConfig::default() }
}
