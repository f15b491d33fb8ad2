//! Names that no file declares: those of the language, and of common UI libraries, whose types are
//! rarely installed where a repository is read.

use crate::syntax::ALIAS_BEGINNINGS;
use portolan_types::ImportForm;
use portolan_types::declarations::{Builtin, BuiltinMethod, Builtins};

use crate::ecma::syntax::EcmaImportForm;
use crate::ecma::syntax::dialect::FileKind;

/// The built-in names of TypeScript and JavaScript.
pub(crate) struct EcmaBuiltins;

impl Builtins for EcmaBuiltins {
    fn is_passive_base(&self, name: &str) -> bool {
        matches!(name, "Array" | "Map" | "Set" | "Object" | "Record" | "Function")
            || name.ends_with("Error")
    }

    fn import_form(&self, is_required: bool) -> ImportForm {
        if is_required { EcmaImportForm::Require.into() } else { EcmaImportForm::Import.into() }
    }

    fn stays_inside(&self, specifier: &str) -> bool {
        let begins = |beginning: &&str| specifier.starts_with(*beginning);
        matches!(specifier, "." | "..") || ["./", "../"].iter().chain(ALIAS_BEGINNINGS).any(begins)
    }

    fn named(&self, name: &str) -> Builtin {
        match name {
            "Array"
            | "ReadonlyArray"
            | "Set"
            | "ReadonlySet"
            | "WeakSet"
            | "Iterable"
            | "Iterator"
            | "IterableIterator"
            | "AsyncIterable"
            | "Generator"
            | "AsyncGenerator"
            | "AsyncIterableIterator"
            | "ArrayLike"
            | "ConcatArray" => Builtin::List,
            "Map" | "ReadonlyMap" | "WeakMap" | "Record" => Builtin::Table,
            "Promise" | "PromiseLike" => Builtin::Promise,
            "Partial" | "Required" | "Readonly" | "NonNullable" | "Awaited" | "NoInfer"
            | "PropsWithChildren" | "PropsWithRef" | "PropsWithoutRef" => Builtin::Same(0),
            "Pick" => Builtin::Members(true),
            "Omit" => Builtin::Members(false),
            "Extract" => Builtin::Part(true),
            "Exclude" => Builtin::Part(false),
            "ReturnType" => Builtin::Returned,
            "Parameters" | "ConstructorParameters" => Builtin::Taken,
            "InstanceType" => Builtin::Instance,
            "FC"
            | "FunctionComponent"
            | "ComponentType"
            | "ComponentClass"
            | "VFC"
            | "MemoExoticComponent"
            | "LazyExoticComponent"
            | "Component"
            | "PureComponent" => Builtin::Component,
            "RefObject" | "MutableRefObject" | "LegacyRef" => Builtin::Box("current"),
            _ => Builtin::Unknown,
        }
    }

    fn method(&self, name: &str) -> (BuiltinMethod, u32) {
        match name {
            "filter" | "slice" | "sort" | "toSorted" | "reverse" | "toReversed" | "concat"
            | "values" | "splice" | "toSpliced" | "flat" | "with" | "finally" | "catch"
            | "union" | "difference" | "intersection" => (BuiltinMethod::Same, 0),
            "find" | "findLast" | "at" | "pop" | "shift" | "get" => (BuiltinMethod::Element, 0),
            "map" | "flatMap" => (BuiltinMethod::Mapped, 0),
            "then" => (BuiltinMethod::Returned, 0),
            "reduce" | "reduceRight" => (BuiltinMethod::Returned, 1),
            "forEach" | "some" | "every" | "findIndex" | "findLastIndex" => {
                (BuiltinMethod::Pairs, 0)
            }
            "entries" => (BuiltinMethod::Pairs, 0),
            "push" | "unshift" | "add" | "set" | "fill" | "includes" | "indexOf" | "has" => {
                (BuiltinMethod::Takes, 0)
            }
            _ => (BuiltinMethod::Unknown, 0),
        }
    }

    fn called(&self, name: &str) -> Builtin {
        match name {
            // `Object.values`, `Array.from`, `Object.freeze` and the like.
            "forwardRef" => Builtin::Rendered(1),
            "memo" | "freeze" | "seal" | "structuredClone" | "useCallback" | "useDeferredValue" => {
                Builtin::Same(0)
            }
            "observer" | "from" | "create" | "assign" | "lazy" => Builtin::Alike(0),
            "values" => Builtin::Held,
            "entries" => Builtin::HeldPairs,
            "useMemo" => Builtin::Returned,
            "useRef" | "createRef" => Builtin::Box("current"),
            "useState" => Builtin::List,
            _ => Builtin::Unknown,
        }
    }

    fn names_by_text(&self) -> bool {
        true
    }

    fn satisfied_mark(&self) -> Option<&'static str> {
        Some("")
    }

    fn loading_marks(&self) -> &'static [&'static str] {
        &["ock('", "ock(\"", "ock(import", "Actual(", "Actual<", "Mock(", "FromModule("]
    }

    fn language_type(&self, name: &str, member: &str) -> Option<&'static str> {
        let (known, members): (&'static str, &[&str]) = match name {
            "Error" | "TypeError" | "RangeError" | "SyntaxError" | "ReferenceError"
            | "EvalError" | "URIError" | "AggregateError" | "DOMException" => {
                ("Error", &["name", "message", "stack", "cause"])
            }
            "Promise" => ("Promise", &["then", "catch", "finally"]),
            "PromiseLike" => ("Promise", &["then"]),
            "ProxyHandler" => ("ProxyHandler", PROXY_HANDLER),
            "Map" | "ReadonlyMap" | "WeakMap" => ("Map", COLLECTION),
            "Set" | "ReadonlySet" | "WeakSet" => ("Set", COLLECTION),
            "Array" | "ReadonlyArray" => ("Array", ARRAY),
            "Iterator"
            | "IterableIterator"
            | "Generator"
            | "AsyncIterator"
            | "AsyncIterableIterator"
            | "AsyncGenerator" => ("Iterator", &["next", "return", "throw"]),
            "EventTarget" | "HTMLElement" | "Element" | "Node" => {
                ("EventTarget", &["addEventListener", "removeEventListener", "dispatchEvent"])
            }
            _ => return None,
        };
        members.contains(&member).then_some(known)
    }

    fn scope(&self, name: &str) -> Option<&'static str> {
        matches!(name, "window" | "globalThis" | "self" | "global").then_some("Window")
    }

    fn is_given(&self, name: &str) -> bool {
        // Browsers and runtimes have a thousand classes and types, with new ones each year. Builds
        // and components inject the rest.
        let is_quiet = |first: char| first.is_ascii_uppercase() || matches!(first, '$' | '_');
        name.starts_with(is_quiet) || GIVEN.binary_search(&name).is_ok()
    }

    fn has_template(&self, path: &str) -> bool {
        matches!(FileKind::of(path), Some(FileKind::Component(_)))
    }

    fn is_ambient(&self, path: &str) -> bool {
        path.ends_with(".d.ts")
    }

    fn ambient_mark(&self) -> Option<&'static str> {
        Some("declare global")
    }
}

const PROXY_HANDLER: &[&str] = &[
    "apply",
    "construct",
    "defineProperty",
    "deleteProperty",
    "get",
    "getOwnPropertyDescriptor",
    "getPrototypeOf",
    "has",
    "isExtensible",
    "ownKeys",
    "preventExtensions",
    "set",
    "setPrototypeOf",
];

const COLLECTION: &[&str] = &[
    "add", "clear", "delete", "entries", "forEach", "get", "has", "keys", "set", "size", "values",
];

const ARRAY: &[&str] = &[
    "concat",
    "every",
    "filter",
    "find",
    "findIndex",
    "forEach",
    "includes",
    "indexOf",
    "join",
    "length",
    "map",
    "pop",
    "push",
    "reduce",
    "reverse",
    "shift",
    "slice",
    "some",
    "sort",
    "splice",
    "unshift",
];

/// The lowercase globals of the language, browsers, runtimes, test runners and components. Sorted.
const GIVEN: &[&str] = &[
    "addEventListener",
    "after",
    "afterAll",
    "afterEach",
    "alert",
    "arguments",
    "assert",
    "atob",
    "before",
    "beforeAll",
    "beforeEach",
    "blur",
    "btoa",
    "caches",
    "cancelAnimationFrame",
    "cancelIdleCallback",
    "chrome",
    "clearImmediate",
    "clearInterval",
    "clearTimeout",
    "close",
    "confirm",
    "console",
    "context",
    "cookieStore",
    "createImageBitmap",
    "crypto",
    "customElements",
    "decodeURI",
    "decodeURIComponent",
    "define",
    "defineEmits",
    "defineExpose",
    "defineModel",
    "defineOptions",
    "defineProps",
    "defineSlots",
    "describe",
    "dispatchEvent",
    "document",
    "encodeURI",
    "encodeURIComponent",
    "escape",
    "eval",
    "event",
    "expect",
    "exports",
    "fetch",
    "focus",
    "frames",
    "gc",
    "getComputedStyle",
    "getSelection",
    "global",
    "globalThis",
    "history",
    "importScripts",
    "indexedDB",
    "innerHeight",
    "innerWidth",
    "isFinite",
    "isNaN",
    "it",
    "jest",
    "localStorage",
    "location",
    "matchMedia",
    "module",
    "moveBy",
    "name",
    "navigation",
    "navigator",
    "onmessage",
    "open",
    "opener",
    "origin",
    "outerHeight",
    "outerWidth",
    "pageXOffset",
    "pageYOffset",
    "parent",
    "parseFloat",
    "parseInt",
    "performance",
    "postMessage",
    "print",
    "process",
    "prompt",
    "queueMicrotask",
    "removeEventListener",
    "reportError",
    "requestAnimationFrame",
    "requestIdleCallback",
    "require",
    "resizeTo",
    "screen",
    "screenX",
    "screenY",
    "scroll",
    "scrollBy",
    "scrollTo",
    "scrollX",
    "scrollY",
    "self",
    "sessionStorage",
    "setImmediate",
    "setInterval",
    "setTimeout",
    "speechSynthesis",
    "status",
    "stop",
    "structuredClone",
    "suite",
    "test",
    "top",
    "trustedTypes",
    "undefined",
    "unescape",
    "vi",
    "visualViewport",
    "window",
    "withDefaults",
    "xdescribe",
    "xit",
];

#[cfg(test)]
mod tests {
    use super::GIVEN;

    #[test]
    fn names_are_sorted() {
        assert!(GIVEN.is_sorted());
    }
}
