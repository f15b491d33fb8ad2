//! Names that are in force without a file that declares them: of the language, and of the libraries
//! whose types nearly every component is written with, since those are rarely installed where a
//! repository is read.

use portolan_types::ImportForm;
use portolan_types::declarations::{Builtin, BuiltinMethod, Builtins};

use crate::ecma::Form;

/// What the language knows.
pub(crate) struct EcmaBuiltins;

impl Builtins for EcmaBuiltins {
    fn import_form(&self, is_required: bool) -> ImportForm {
        if is_required { Form::Require.into() } else { Form::Import.into() }
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
            "Partial" | "Required" | "Readonly" | "NonNullable" | "Pick" | "Omit" | "Extract"
            | "Exclude" | "Awaited" | "NoInfer" | "ThisType" | "PropsWithChildren"
            | "PropsWithRef" | "PropsWithoutRef" => Builtin::Same(0),
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
            _ => (BuiltinMethod::Unknown, 0),
        }
    }

    fn called(&self, name: &str) -> Builtin {
        match name {
            // `Object.values`, `Array.from`, `Object.freeze` and their like.
            "memo" | "forwardRef" | "observer" | "freeze" | "from" | "seal" | "create"
            | "structuredClone" | "useCallback" | "useDeferredValue" | "assign" | "lazy" => {
                Builtin::Same(0)
            }
            "useMemo" => Builtin::Returned,
            "useRef" | "createRef" => Builtin::Box("current"),
            "useState" => Builtin::List,
            _ => Builtin::Unknown,
        }
    }

    fn scope(&self, name: &str) -> Option<&'static str> {
        matches!(name, "window" | "globalThis" | "self" | "global").then_some("Window")
    }

    fn is_ambient(&self, path: &str) -> bool {
        path.ends_with(".d.ts")
    }

    fn ambient_mark(&self) -> Option<&'static str> {
        Some("declare global")
    }
}
