//! Errors of the environment: a dependency that is not installed, settings, a toolchain. No change of the code repairs
//! them, and what follows from them is not real.

use crate::locations::Diagnostic;

/// TypeScript: a package without types, a type library that is missing, a setting.
const TYPESCRIPT: [u32; 4] = [2688, 7016, 18002, 18003];
/// Classes and codes that always are.
const CODES: [&str; 3] = ["E0463", "ERR_UNKNOWN_BUILTIN_MODULE", "ModuleNotFoundError"];
/// Beginnings of messages that always are.
const STARTS: [&str; 15] = [
    "No module named ",
    "can't find crate for ",
    "no required module provides package ",
    "missing go.sum entry",
    "cannot find main module",
    "go.mod requires go",
    "cannot find package ",
    "Library stubs not installed for ",
    "Skipping analyzing ",
    "failed to load config",
    "Cannot find type definition file",
    "Cannot read file",
    "Could not resolve dependencies",
    "error: linker ",
    "toolchain '",
];
/// Parts of messages that always are.
const PARTS: [&str; 6] = [
    "is not in GOROOT",
    "is not in std",
    "missing library stubs or py.typed marker",
    "requires rustc ",
    "is not supported by the following package",
    "Unsupported engine",
];
/// Beginnings of messages that are, where a package is named and no file of the repository.
const MODULES: [&str; 5] = [
    "Cannot find module ",
    "Cannot find package ",
    "Could not find a declaration file for module ",
    "Failed to resolve import ",
    "Import ",
];

/// Whether a diagnostic is about the environment, not about the code.
pub fn is_environment(diagnostic: &Diagnostic) -> bool {
    let (code, message) = (diagnostic.code.as_deref().unwrap_or_default(), &diagnostic.message);
    let typescript = code.strip_prefix("TS").and_then(|number| number.parse::<u32>().ok());
    let is_setting = |number: u32| TYPESCRIPT.contains(&number) || (5_000..7_000).contains(&number);
    let of_module = MODULES.iter().find_map(|start| message.strip_prefix(start));
    typescript.is_some_and(is_setting)
        || CODES.contains(&code)
        || STARTS.iter().any(|start| message.starts_with(start))
        || PARTS.iter().any(|part| message.contains(part))
        || of_module.and_then(first_quoted).is_some_and(is_package)
        || is_other_version(message)
}

/// Whether an installed package, or the language's own library, lacks a name that is imported: another version is needed.
fn is_other_version(message: &str) -> bool {
    let installed = ["site-packages", "dist-packages", "/lib/python3", "\\Lib\\"];
    message.starts_with("cannot import name ") && installed.iter().any(|it| message.contains(it))
}

/// The package that is missing, if it says one.
pub fn missing_package(diagnostic: &Diagnostic) -> Option<&str> {
    let message = &diagnostic.message;
    let is_there = is_other_version(message)
        || message.starts_with("toolchain '")
        || message.contains("requires rustc ");
    first_quoted(message).filter(|name| !is_there && is_package(name))
}

fn first_quoted(text: &str) -> Option<&str> {
    let start = text.find(['\'', '"', '`'])?;
    let quote = text.get(start..)?.chars().next()?;
    text.get(start + 1..)?.split(quote).next()
}

/// Whether a specifier names a package: no path, and no alias of the project.
fn is_package(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(['.', '/', '~', '#', '$']) && !name.starts_with("@/")
}

#[cfg(test)]
mod tests {
    use super::{is_environment, missing_package};
    use crate::locations::{Diagnostic, FileIndex, PathContext, locate};
    use crate::readers::read;

    fn first(text: &str) -> Diagnostic {
        let files = FileIndex::new(["a.ts", "a.py", "a.go"].map(str::to_owned));
        let context = PathContext { files, ..PathContext::default() };
        locate(read(text.as_bytes(), None).findings, &context).diagnostics.remove(0)
    }

    #[test]
    fn a_package_that_is_not_installed_is_of_the_environment_and_a_file_is_not() {
        let package = first(
            "a.ts(1,1): error TS2307: Cannot find module 'ws' or its corresponding type declarations.\n",
        );
        assert!(is_environment(&package));
        assert_eq!(missing_package(&package), Some("ws"));
        assert!(is_environment(&first(
            "go: downloading example.com/x v1.0.0\ngo: go.mod requires go >= 1.99 (running go 1.27.3; GOTOOLCHAIN=local)\n"
        )));
        for text in [
            "error: rustc 1.95.0 is not supported by the following packages:\n  grep@0.4.1 requires rustc 1.96\n  grep@0.4.1 requires rustc 1.96\n",
            "error: package `clap v4.5.0` cannot be built because it requires rustc 1.74 or newer\n",
            "error: toolchain '1.99-x86_64-unknown-linux-gnu' is not installed\n",
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    from inspect import x\nImportError: cannot import name 'x' from 'inspect' (/usr/lib/python3.11/inspect.py)\n",
            "=== ERRORS ===\n____ ERROR collecting a.py ____\na.py:1: in <module>\n    from b import c\nE   ImportError: cannot import name 'c' from 'b' (/v/lib/python3.11/site-packages/b.py)\n",
        ] {
            assert!(is_environment(&first(text)), "{text}");
            assert_eq!(missing_package(&first(text)), None, "{text}");
        }
        for text in [
            "a.ts(1,1): error TS2307: Cannot find module './gone' or its corresponding type declarations.\n",
            "a.ts(1,1): error TS2304: Cannot find name 'x'.\n",
            "a.py:1: error: Incompatible return value type  [return-value]\n",
        ] {
            assert!(!is_environment(&first(text)), "{text}");
        }
        for text in [
            "a.py:1: error: Library stubs not installed for \"yaml\"  [import-untyped]\n",
            "a.go:3:2: no required module provides package example.com/x; to add it:\n",
            "a.ts(1,1): error TS7016: Could not find a declaration file for module 'x'.\n",
        ] {
            assert!(is_environment(&first(text)), "{text}");
        }
    }
}
