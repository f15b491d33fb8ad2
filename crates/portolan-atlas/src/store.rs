//! Blocking access to asynchronous storage.
//!
//! One thread drives the futures and callers block on the result, so any number of plain threads may
//! call.

use std::future::Future;
use std::ops::Range;
use std::sync::{Arc, mpsc};
use std::thread;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt as _};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::AtlasError;
use crate::place::{self, is_bucket};

/// The storage of an atlas.
pub struct Store {
    inner: Arc<dyn ObjectStore>,
    base: Path,
    /// The address, without secrets.
    shown: String,
    is_remote: bool,
    handle: Handle,
    /// Dropping it ends the thread.
    _driver: oneshot::Sender<()>,
}

/// An existing object.
#[derive(Clone, Debug)]
pub(crate) struct ListedObject {
    /// Its name in its folder.
    pub(crate) name: String,
    /// When it was written, in seconds, by the storage's own clock.
    pub(crate) written: i64,
}

impl Store {
    /// Opens an address: a bucket, or the absolute path of a folder.
    pub fn open(address: &str, variables: &[(String, String)]) -> Result<Self, AtlasError> {
        let (inner, base) = place::open(address, variables)?;
        Self::start_driver(inner, base, place::shown(address), is_bucket(address))
    }

    /// A storage in memory that ends with this value.
    pub fn in_memory() -> Result<Self, AtlasError> {
        let inner = Arc::new(object_store::memory::InMemory::new());
        Self::start_driver(inner, Path::default(), "memory".to_owned(), false)
    }

    fn start_driver(
        inner: Arc<dyn ObjectStore>,
        base: Path,
        shown: String,
        is_remote: bool,
    ) -> Result<Self, AtlasError> {
        let failed = |reason: String| AtlasError::Place { place: shown.clone(), reason };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| failed(error.to_string()))?;
        let handle = runtime.handle().clone();
        let (driver, end) = oneshot::channel::<()>();
        let thread = thread::Builder::new().name("storage".to_owned());
        let started = thread.spawn(move || {
            let _ = runtime.block_on(end);
            runtime.shutdown_background();
        });
        started.map_err(|error| failed(error.to_string()))?;
        Ok(Self { inner, base, shown, is_remote, handle, _driver: driver })
    }

    /// The address, without secrets.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// How many calls to run at once: remote calls take time but no work.
    pub(crate) fn width(&self) -> usize {
        if self.is_remote { 32 } else { 16 }
    }

    fn path(&self, folder: &str, name: &str) -> Path {
        self.base.clone().join(folder).join(name)
    }

    fn error(&self, what: &'static str, path: &Path, error: &object_store::Error) -> AtlasError {
        use object_store::Error as E;
        let inside = path
            .prefix_match(&self.base)
            .map(|parts| parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/"));
        AtlasError::Storage {
            place: format!("{}/{}", self.shown, inside.unwrap_or_default()),
            what,
            reason: reason(error),
            is_denied: matches!(error, E::PermissionDenied { .. } | E::Unauthenticated { .. })
                || is_forbidden(error),
            is_missing: matches!(error, E::NotFound { .. }),
        }
    }

    /// Waits for a future that the thread drives.
    fn wait<T: Send + 'static>(
        &self,
        future: impl Future<Output = object_store::Result<T>> + Send + 'static,
    ) -> object_store::Result<T> {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.handle.spawn(async move {
            let _ = sender.send(future.await);
        });
        receiver.recv().unwrap_or_else(|_| {
            let source = "the call was dropped".into();
            Err(object_store::Error::Generic { store: "storage", source })
        })
    }

    /// The content of an object.
    pub(crate) fn get(&self, folder: &str, name: &str) -> Result<Bytes, AtlasError> {
        let (store, path) = (Arc::clone(&self.inner), self.path(folder, name));
        let asked = path.clone();
        let got = self.wait(async move { store.get(&asked).await?.bytes().await });
        got.map_err(|error| self.error("read", &path, &error))
    }

    /// Opens an object in one call: its size, an offset, and the bytes from there on. These are all bytes if it has at
    /// most `small`, otherwise the last `tail`.
    pub(crate) fn start(
        &self,
        folder: &str,
        name: &str,
        small: u64,
        tail: u64,
    ) -> Result<(u64, u64, Bytes), AtlasError> {
        let (store, path) = (Arc::clone(&self.inner), self.path(folder, name));
        let asked = path.clone();
        let got = self.wait(async move {
            let whole = store.get(&asked).await?;
            let size = whole.meta.size;
            if size <= small {
                return Ok((size, 0, whole.bytes().await?));
            }
            drop(whole);
            let start = size.saturating_sub(tail);
            Ok((size, start, store.get_range(&asked, start..size).await?))
        });
        got.map_err(|error| self.error("read", &path, &error))
    }

    /// Ranges of an object.
    pub(crate) fn parts(
        &self,
        folder: &str,
        name: &str,
        ranges: Vec<Range<u64>>,
    ) -> Result<Vec<Bytes>, AtlasError> {
        let (store, path) = (Arc::clone(&self.inner), self.path(folder, name));
        let asked = path.clone();
        let got = self.wait(async move { store.get_ranges(&asked, &ranges).await });
        got.map_err(|error| self.error("read", &path, &error))
    }

    /// Writes an object atomically.
    pub(crate) fn put(&self, folder: &str, name: &str, bytes: Vec<u8>) -> Result<(), AtlasError> {
        let (store, path) = (Arc::clone(&self.inner), self.path(folder, name));
        let asked = path.clone();
        let put = self.wait(async move { store.put(&asked, bytes.into()).await });
        put.map(|_| ()).map_err(|error| self.error("written", &path, &error))
    }

    /// Removes an object. A missing object is fine.
    pub(crate) fn remove(&self, folder: &str, name: &str) -> Result<(), AtlasError> {
        let (store, path) = (Arc::clone(&self.inner), self.path(folder, name));
        let asked = path.clone();
        match self.wait(async move { store.delete(&asked).await }) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.error("removed", &path, &error)),
        }
    }

    /// The objects of a folder whose names start with a prefix, sorted by name.
    pub(crate) fn list(&self, folder: &str, first: &str) -> Result<Vec<ListedObject>, AtlasError> {
        let (store, path) = (Arc::clone(&self.inner), self.base.clone().join(folder));
        let (asked, first) = (path.clone(), first.to_owned());
        let listed = self.wait(async move {
            let all = if first.is_empty() {
                store.list(Some(&asked))
            } else {
                store.list_with_offset(Some(&asked), &asked.clone().join(first.as_str()))
            };
            let mut found: Vec<ListedObject> = Vec::new();
            let mut all = std::pin::pin!(all);
            while let Some(ObjectMeta { location, last_modified, .. }) = all.try_next().await? {
                let name = location.filename().unwrap_or_default();
                if name.starts_with(&first) {
                    found.push(ListedObject {
                        name: name.to_owned(),
                        written: last_modified.timestamp(),
                    });
                }
            }
            Ok(found)
        });
        let mut found = match listed {
            Err(object_store::Error::NotFound { .. }) => Vec::new(),
            other => other.map_err(|error| self.error("listed", &path, &error))?,
        };
        found.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(found)
    }
}

/// What an error says, with its cause. Clients wrap a cause several times, and mostly repeat it.
fn reason(error: &object_store::Error) -> String {
    let mut text = error.to_string();
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        let said = source.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        inner = source;
    }
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    portolan_guard::redact(&line).chars().take(400).collect()
}

/// Whether a storage without a specific error refuses for lack of permission.
fn is_forbidden(error: &object_store::Error) -> bool {
    let text = error.to_string();
    ["403", "401", "InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied"]
        .iter()
        .any(|mark| text.contains(mark))
}
