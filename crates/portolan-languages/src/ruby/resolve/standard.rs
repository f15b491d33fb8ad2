//! The libraries that come with Ruby.

const STANDARD: &[&str] = &[
    "English",
    "abbrev",
    "base64",
    "benchmark",
    "bigdecimal",
    "bundler",
    "cgi",
    "continuation",
    "coverage",
    "csv",
    "date",
    "delegate",
    "did_you_mean",
    "digest",
    "drb",
    "erb",
    "error_highlight",
    "etc",
    "expect",
    "fcntl",
    "fiber",
    "fiddle",
    "fileutils",
    "find",
    "forwardable",
    "getoptlong",
    "io",
    "ipaddr",
    "irb",
    "json",
    "kconv",
    "logger",
    "mkmf",
    "monitor",
    "mutex_m",
    "net",
    "nkf",
    "objspace",
    "observer",
    "open-uri",
    "open3",
    "openssl",
    "optionparser",
    "optparse",
    "ostruct",
    "pathname",
    "pp",
    "prettyprint",
    "prism",
    "pstore",
    "psych",
    "pty",
    "racc",
    "random",
    "rbconfig",
    "rdoc",
    "readline",
    "reline",
    "resolv",
    "resolv-replace",
    "rinda",
    "ripper",
    "rubygems",
    "securerandom",
    "set",
    "shellwords",
    "singleton",
    "socket",
    "stringio",
    "strscan",
    "syntax_suggest",
    "syslog",
    "tempfile",
    "thread",
    "time",
    "timeout",
    "tmpdir",
    "tsort",
    "un",
    "unicode_normalize",
    "uri",
    "weakref",
    "yaml",
    "zlib",
];

/// Whether a path is of a library that comes with Ruby.
pub(super) fn is_standard(path: &str) -> bool {
    STANDARD.binary_search(&path.split('/').next().unwrap_or(path)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{STANDARD, is_standard};

    #[test]
    fn the_list_is_sorted() {
        assert!(STANDARD.is_sorted());
        assert!(is_standard("net/http") && is_standard("set") && !is_standard("rack"));
    }
}
