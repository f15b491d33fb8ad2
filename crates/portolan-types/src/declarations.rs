//! The declarations of a file and the references in its code, for any language.
//!
//! Everything is an index into one of the file's tables. A file of ten thousand lines has a hundred
//! thousand of these facts, so none of them has an allocation of its own. This module does not know
//! which *file* a specifier resolves to, nor which declaration of another file a name refers to:
//! `portolan-symbols` follows these facts from file to file.

mod builtins;

use serde::{Deserialize, Serialize};

pub use self::builtins::{Builtin, BuiltinMethod, Builtins};

/// The index that stands for "none".
pub const NONE: u32 = u32::MAX;

/// The exported name of a default export.
pub const DEFAULT: &str = "default";
/// The exported name of a value that replaces the whole module (`export =`).
pub const WHOLE: &str = "export=";
/// The specifier of the module itself.
pub const OWN: &str = "";

/// A range of bytes in a text.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` up to, but not including, `end`.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Whether the span contains a byte offset.
    pub fn holds(self, at: u32) -> bool {
        self.start <= at && at < self.end
    }

    /// Whether the span is empty. A declaration without a body has an empty body span.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// A run of consecutive entries of [`Declarations::lists`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct List {
    /// The index of the first entry.
    pub start: u32,
    /// The number of entries.
    pub len: u32,
}

/// The facts of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declarations {
    /// Every name and specifier in the file, without duplicates.
    pub names: Vec<Box<str>>,
    /// The declarations. A parent comes before its children.
    pub items: Vec<Declaration>,
    /// The bindings of names to declarations, imports and values.
    pub bindings: Vec<Binding>,
    /// The known shapes of values and types. The first is [`Shape::Unknown`], the second
    /// [`Shape::Plain`].
    pub shapes: Vec<Shape>,
    /// The signatures of functions.
    pub signatures: Vec<Signature>,
    /// The storage behind every [`List`].
    pub lists: Vec<u32>,
    /// The references that may point outside their own declaration, by offset.
    pub references: Vec<Reference>,
    /// The imported names.
    pub imports: Vec<Imported>,
    /// The exported names, in source order.
    pub exports: Vec<Exported>,
    /// The specifiers of modules that are re-exported whole.
    pub stars: Vec<u32>,
}

/// A named part of a file, or a top-level statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declaration {
    /// Its name.
    pub name: u32,
    /// The kind of declaration.
    pub kind: DeclarationKind,
    /// Its flags.
    pub flags: Flags,
    /// The declaration that contains it.
    pub parent: u32,
    /// The whole declaration, without its doc comment.
    pub span: Span,
    /// Where the declaration itself starts. Differs from the span's start when several share one statement (`export const a, b`).
    pub at: u32,
    /// The part that its signature leaves out; empty if the whole declaration is the signature.
    pub body: Span,
    /// Where its doc comment starts.
    pub doc: u32,
    /// The shape of its value; for a type alias, the shape of the aliased type.
    pub shape: u32,
    /// Its type parameters: bindings.
    pub parameters: List,
    /// The types it extends: shapes.
    pub bases: List,
    /// Its members in source order: declarations.
    pub members: List,
    /// The next declaration merged with this one.
    pub next: u32,
}

impl Declaration {
    /// Whether it augments another module or the global scope. Unlike a namespace, it has no value of its own.
    pub fn is_module(&self) -> bool {
        self.kind == DeclarationKind::Namespace && self.parent == NONE && self.shape <= 1
    }
}

/// The kinds of declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum DeclarationKind {
    /// A function, or one of its overloads.
    Function,
    /// A class.
    Class,
    /// An interface, a trait, a protocol.
    Interface,
    /// A type alias.
    Type,
    /// An enumeration.
    Enum,
    /// A namespace or a module within a file.
    Namespace,
    /// A constant or variable.
    Variable,
    /// A default export without a name.
    Default,
    /// A method.
    Method,
    /// A field or property.
    Property,
    /// A getter.
    Getter,
    /// A setter.
    Setter,
    /// A constructor.
    Constructor,
    /// A variant of an enumeration.
    EnumMember,
    /// A call, construct or index signature.
    Signature,
    /// A statement that declares nothing.
    Statement,
    /// Members added to a declaration that is written elsewhere; it has that declaration's name.
    Extension,
}

impl DeclarationKind {
    /// Every kind.
    pub const ALL: [Self; 17] = [
        Self::Function,
        Self::Class,
        Self::Interface,
        Self::Type,
        Self::Enum,
        Self::Namespace,
        Self::Variable,
        Self::Default,
        Self::Method,
        Self::Property,
        Self::Getter,
        Self::Setter,
        Self::Constructor,
        Self::EnumMember,
        Self::Signature,
        Self::Statement,
        Self::Extension,
    ];

    /// The kind's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Class => "class",
            Self::Interface => "interface",
            Self::Type => "type",
            Self::Enum => "enum",
            Self::Namespace => "namespace",
            Self::Variable => "variable",
            Self::Default => "default",
            Self::Method => "method",
            Self::Property => "property",
            Self::Getter => "getter",
            Self::Setter => "setter",
            Self::Constructor => "constructor",
            Self::EnumMember => "member",
            Self::Signature => "signature",
            Self::Statement => "statement",
            Self::Extension => "extension",
        }
    }

    /// Whether it declares a type and no value.
    pub fn is_type(self) -> bool {
        matches!(self, Self::Interface | Self::Type)
    }
}

/// The flags of a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flags(pub u8);

impl Flags {
    /// Other files can refer to it.
    pub const EXPORTED: u8 = 1;
    /// It belongs to the class, not to its instances.
    pub const STATIC: u8 = 2;
    /// It is local to a body of code, so no outline shows it.
    pub const LOCAL: u8 = 4;
    /// It is a member of another declaration.
    pub const MEMBER: u8 = 8;
    /// It is visible everywhere without an import.
    pub const GLOBAL: u8 = 16;

    /// Only files of the same package can refer to it.
    pub const INTERNAL: u8 = 32;
    /// A class that has more members than its instances: those of its own class.
    pub const OPEN: u8 = 64;

    /// Whether all the given flags are set.
    pub fn has(self, flags: u8) -> bool {
        self.0 & flags == flags
    }
}

/// The meaning of a name in its scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The name.
    pub name: u32,
    /// The first declaration with this name; others may be merged with it.
    pub item: u32,
    /// The import that brings it in.
    pub import: u32,
    /// Its value; for a type parameter, its constraint.
    pub shape: u32,
    /// For a type parameter: its default.
    pub default: u32,
    /// Whether it is a type parameter.
    pub is_parameter: bool,
}

/// What is known about a value or a type. An index points at a shape unless its doc names another table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Shape {
    /// Nothing is known.
    Unknown,
    /// It has no members that a repository declares: a string, a number and so on.
    Plain,
    /// The value of a name.
    Name {
        /// The binding.
        binding: u32,
    },
    /// The value of a name that nothing in the file declares.
    Free {
        /// The name.
        name: u32,
    },
    /// A named type.
    Type {
        /// The binding.
        binding: u32,
        /// Its type arguments.
        arguments: List,
    },
    /// A named type that nothing in the file declares.
    FreeType {
        /// The name.
        name: u32,
        /// Its type arguments.
        arguments: List,
    },
    /// A member of a value, or the type of a type's member.
    Member {
        /// The value.
        base: u32,
        /// The member's name.
        name: u32,
    },
    /// A type in a namespace.
    Qualified {
        /// The namespace.
        base: u32,
        /// The type's name.
        name: u32,
        /// Its type arguments.
        arguments: List,
    },
    /// An element of a list, a set or a map.
    Element {
        /// The list.
        base: u32,
    },
    /// A member of a type whose name is a type.
    Indexed {
        /// The type.
        base: u32,
        /// The name.
        index: u32,
    },
    /// The element of a list at a fixed index.
    Entry {
        /// The list.
        base: u32,
        /// The index.
        index: u32,
    },
    /// The result of a call.
    Call {
        /// The called value.
        callee: u32,
        /// The call's arguments.
        arguments: List,
        /// The type arguments.
        types: List,
    },
    /// The result of `new`.
    New {
        /// The class.
        callee: u32,
        /// The constructor's arguments.
        arguments: List,
        /// The type arguments.
        types: List,
    },
    /// The result of awaiting a value.
    Awaited {
        /// The value.
        base: u32,
    },
    /// What entering a context gives.
    Entered {
        /// The context manager.
        value: u32,
    },
    /// An object literal.
    Object {
        /// The members: declarations.
        members: List,
        /// The values spread into it.
        spreads: List,
    },
    /// A function.
    Function {
        /// Its signature.
        signature: u32,
    },
    /// A class as a value.
    Class {
        /// The declaration.
        item: u32,
    },
    /// A union.
    Union {
        /// Its alternatives.
        parts: List,
    },
    /// An intersection.
    Intersection {
        /// Its parts.
        parts: List,
    },
    /// A list.
    Array {
        /// The type of its elements.
        element: u32,
    },
    /// A tuple.
    Tuple {
        /// The types of its elements.
        parts: List,
    },
    /// A mapped type: it has the members of another type.
    Mapped {
        /// The type that the members come from.
        source: u32,
        /// The type of each member.
        value: u32,
    },
    /// The member names of a type.
    Keys {
        /// The type.
        base: u32,
    },
    /// An instance of the enclosing class.
    This {
        /// The class.
        item: u32,
    },
    /// The enclosing class, seen as its base class.
    Super {
        /// The class.
        item: u32,
    },
    /// A parameter of a function whose type comes from the context.
    Parameter {
        /// The contextual type.
        function: u32,
        /// The index of the parameter.
        index: u32,
    },
    /// The result of a function whose type comes from the context.
    Returned {
        /// The contextual type.
        function: u32,
    },
    /// The type that a call expects for an argument.
    Argument {
        /// The call.
        call: u32,
        /// The index of the argument.
        index: u32,
        /// What is expected of the call's result; unknown where nothing is.
        expected: u32,
    },
    /// The properties that a component expects.
    Props {
        /// The component.
        component: u32,
    },
    /// A module.
    Module {
        /// Its specifier: a name.
        specifier: u32,
    },
    /// A value that a function said to be of some type.
    Guarded {
        /// The function.
        function: u32,
        /// The value before the guard. It keeps its type if the function declares no guard.
        value: u32,
        /// Whether the function said yes.
        holds: bool,
    },
    /// A value of which a member was compared: one of the alternatives whose member fits.
    Narrowed {
        /// The value as it was before.
        value: u32,
        /// The name of the member.
        member: u32,
        /// What the member was compared with.
        test: Test,
        /// Whether the comparison holds.
        holds: bool,
    },
    /// A value that was checked for being an instance of some types.
    Checked {
        /// The value before the check.
        value: u32,
        /// Instances of the types.
        types: u32,
        /// Whether it is one of them.
        holds: bool,
    },
    /// What a test runner gives for a parameter of this name.
    Fixture {
        /// The name.
        name: u32,
    },
    /// A type with one value: a text, a number, `true`.
    Literal {
        /// The value as it is written.
        name: u32,
    },
}

/// What a member of a value was compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Test {
    /// A literal, or a member of an enumeration: a shape.
    Equals(u32),
    /// It is there.
    Exists,
    /// It counts as true.
    Truthy,
}

/// The signature of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Its type parameters: bindings.
    pub parameters: List,
    /// The types of its parameters.
    pub takes: List,
    /// Whether the last parameter takes all remaining arguments.
    pub has_rest: bool,
    /// The return type: as written, or inferred from the body.
    pub gives: u32,
    /// Whether the return type is written.
    pub is_written: bool,
    /// Whether the result must be awaited although the written type does not say so.
    pub is_async: bool,
    /// The type of its first parameter after it returned true (a type predicate).
    pub guards: u32,
}

/// A reference to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// Its offset.
    pub at: u32,
    /// The name.
    pub name: u32,
    /// How it is used.
    pub usage: Usage,
    /// For a plain name, the binding. Otherwise, the shape whose member it names.
    pub of: u32,
}

/// The ways in which code uses a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Usage {
    /// As a value.
    Value,
    /// As a type.
    Type,
    /// As a member of a value or namespace.
    Member,
    /// In a destructuring pattern.
    Taken,
    /// As a member in a literal of an expected type.
    Given,
}

/// An imported name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// The module's specifier: a name.
    pub specifier: u32,
    /// Its exported name; none for the module itself.
    pub name: u32,
    /// Whether it is resolved by the rules for `require`.
    pub is_required: bool,
}

/// An exported name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exported {
    /// The name that importers use.
    pub name: u32,
    /// What the name refers to.
    pub what: Export,
}

/// What an exported name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Export {
    /// A binding of this file.
    Binding(u32),
    /// A declaration without a name.
    Item(u32),
    /// A name re-exported from another module.
    From {
        /// The module's specifier: a name.
        specifier: u32,
        /// The name in that module; none for the module itself.
        name: u32,
        /// The offset of the export.
        at: u32,
    },
}

impl Declarations {
    /// Whether every traversal ends: parents precede children, and merged declarations follow each other.
    pub fn is_whole(&self) -> bool {
        self.items.iter().zip(0u32..).all(|(item, number)| {
            (item.parent == NONE || item.parent < number)
                && (item.next == NONE || item.next > number)
        })
    }

    /// The text of a name.
    pub fn name(&self, name: u32) -> &str {
        self.names.get(name as usize).map_or("", |name| name)
    }

    /// The index of a name, if the file has it.
    pub fn find_name(&self, wanted: &str) -> Option<u32> {
        self.names.iter().position(|name| **name == *wanted).map(|at| at as u32)
    }

    /// The entries of a list.
    pub fn list(&self, list: List) -> &[u32] {
        let start = list.start as usize;
        self.lists.get(start..start + list.len as usize).unwrap_or_default()
    }

    /// The declaration with an index.
    pub fn item(&self, item: u32) -> Option<&Declaration> {
        self.items.get(item as usize)
    }

    /// The shape with an index; `Unknown` if there is none.
    pub fn shape(&self, shape: u32) -> Shape {
        self.shapes.get(shape as usize).copied().unwrap_or(Shape::Unknown)
    }

    /// Whether a shape is one of primitive values, as far as it is written here.
    pub fn is_primitive(&self, shape: u32) -> bool {
        match self.shape(shape) {
            Shape::Plain | Shape::Literal { .. } => true,
            Shape::Union { parts } => self
                .list(parts)
                .iter()
                .all(|part| matches!(self.shape(*part), Shape::Plain | Shape::Literal { .. })),
            _ => false,
        }
    }

    /// The references within a span.
    pub fn references_in(&self, span: Span) -> &[Reference] {
        let first = self.references.partition_point(|reference| reference.at < span.start);
        let after = self.references.partition_point(|reference| reference.at < span.end);
        self.references.get(first..after).unwrap_or_default()
    }

    /// The top-level declaration around an offset.
    pub fn outermost_at(&self, at: u32) -> Option<u32> {
        let holds = |item: &Declaration| item.parent == NONE && item.span.holds(at);
        self.items.iter().position(holds).map(|item| item as u32)
    }

    /// A declaration and its ancestors, innermost first.
    pub fn ancestors(&self, item: u32) -> impl Iterator<Item = u32> {
        let mut next = item;
        std::iter::from_fn(move || {
            let current = next;
            next = self.item(current)?.parent;
            Some(current)
        })
    }

    /// A declaration and all declarations merged with it.
    pub fn merged(&self, first: u32) -> impl Iterator<Item = u32> {
        let mut next = first;
        std::iter::from_fn(move || {
            let current = next;
            next = self.item(current)?.next;
            Some(current)
        })
    }
}
