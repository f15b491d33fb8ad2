//! The atlas: many repositories as one map, in files that engines read (Parquet), in a folder or a bucket.
//!
//! A room of its own, since nothing else needs columns, object stores or an asynchronous runtime for them.
