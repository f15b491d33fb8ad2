//! The built-in modules of Node. The table is fixed, so that results do not depend on the installed
//! Node.

/// Modules with an optional `node:` prefix. Sorted.
const NAMES: &[&str] = &[
    "_http_agent",
    "_http_client",
    "_http_common",
    "_http_incoming",
    "_http_outgoing",
    "_http_server",
    "_stream_duplex",
    "_stream_passthrough",
    "_stream_readable",
    "_stream_transform",
    "_stream_wrap",
    "_stream_writable",
    "_tls_common",
    "_tls_wrap",
    "assert",
    "assert/strict",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "dns/promises",
    "domain",
    "events",
    "fs",
    "fs/promises",
    "http",
    "http2",
    "https",
    "inspector",
    "inspector/promises",
    "module",
    "net",
    "os",
    "path",
    "path/posix",
    "path/win32",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "readline/promises",
    "repl",
    "stream",
    "stream/consumers",
    "stream/promises",
    "stream/web",
    "string_decoder",
    "sys",
    "timers",
    "timers/promises",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "util/types",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

/// Modules that need the `node:` prefix. Sorted.
const PREFIX_ONLY: &[&str] = &["sea", "sqlite", "test", "test/reporters"];

/// The built-in module that a specifier names, without `node:`.
pub(crate) fn builtin_name(specifier: &str) -> Option<&str> {
    let known = |table: &[&str], name: &str| table.binary_search(&name).is_ok();
    match specifier.strip_prefix("node:") {
        Some(name) => (known(NAMES, name) || known(PREFIX_ONLY, name)).then_some(name),
        None => known(NAMES, specifier).then_some(specifier),
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMES, PREFIX_ONLY, builtin_name};

    #[test]
    fn tables_are_sorted() {
        assert!(NAMES.is_sorted() && PREFIX_ONLY.is_sorted());
    }

    #[test]
    fn builtin_matches_only_its_exact_name() {
        assert_eq!(builtin_name("fs/promises"), Some("fs/promises"));
        assert_eq!(builtin_name("node:path"), Some("path"));
        assert_eq!(builtin_name("node:test"), Some("test"));
        for other in ["test", "fs/", "node:nope", "node:", "bun:test", "FS"] {
            assert_eq!(builtin_name(other), None, "{other}");
        }
    }
}
