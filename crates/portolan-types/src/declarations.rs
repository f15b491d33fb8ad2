//! What a file declares and what its code refers to, whatever language it is written in.
//!
//! Everything is a number into one of a file's tables: a file of ten thousand lines has a hundred
//! thousand of these facts, and nothing here is worth an allocation of its own. Which *file* a
//! specifier means, and so which declaration of another file a name means, is not known here:
//! `portolan-graph` follows these facts from file to file.

use serde::{Deserialize, Serialize};

use crate::ImportForm;

/// No such thing: the number that stands for an absent one.
pub const NONE: u32 = u32::MAX;

/// The exported name of what a module exports without one.
pub const DEFAULT: &str = "default";
/// The exported name of a value that is the whole module.
pub const WHOLE: &str = "export=";
/// The specifier of the module that it stands in.
pub const OWN: &str = "";

/// A part of a text, in bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Span {
    /// Where it starts.
    pub start: u32,
    /// Where it ends; what is there is not part of it.
    pub end: u32,
}

impl Span {
    /// From here to there.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Whether a place lies in it.
    pub fn holds(self, at: u32) -> bool {
        self.start <= at && at < self.end
    }

    /// Whether it has no text at all: what an absent body looks like.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// Some consecutive numbers of [`Declarations::lists`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct List {
    /// The place of the first.
    pub start: u32,
    /// How many.
    pub len: u32,
}

/// The facts of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declarations {
    /// Every name and specifier that occurs, once.
    pub names: Vec<Box<str>>,
    /// The declarations, parents before what they hold.
    pub items: Vec<Declaration>,
    /// What names mean in some scope.
    pub bindings: Vec<Binding>,
    /// What is known of values and types. The first is [`Shape::Unknown`], the second
    /// [`Shape::Plain`].
    pub shapes: Vec<Shape>,
    /// The signatures of functions.
    pub signatures: Vec<Signature>,
    /// Numbers that belong together: see [`List`].
    pub lists: Vec<u32>,
    /// The uses of names that may lead out of the declaration they stand in, by place.
    pub references: Vec<Reference>,
    /// What is imported.
    pub imports: Vec<Imported>,
    /// What is exported, in the order of the text.
    pub exports: Vec<Exported>,
    /// The specifiers of modules that are passed on whole.
    pub stars: Vec<u32>,
}

/// A named part of a file, or a top-level statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declaration {
    /// Its name.
    pub name: u32,
    /// Which sort.
    pub kind: DeclarationKind,
    /// What can be said of it in a word.
    pub flags: Flags,
    /// The declaration it is part of.
    pub parent: u32,
    /// The whole of it, without its doc comment.
    pub span: Span,
    /// Where it itself starts: after `export const` and the like, where several share a statement.
    pub at: u32,
    /// What is left out of its head; empty where all of it is head.
    pub body: Span,
    /// Where its doc comment starts.
    pub doc: u32,
    /// The value it stands for, or for a type what it is the name of.
    pub shape: u32,
    /// Its type parameters: bindings.
    pub parameters: List,
    /// What it extends: shapes.
    pub bases: List,
    /// Its members, in the order of the text: declarations.
    pub members: List,
    /// The next declaration that is merged with it.
    pub next: u32,
}

impl Declaration {
    /// Whether it holds what is said of a module elsewhere, or of all: it has no value of its own, unlike a namespace.
    pub fn is_module(&self) -> bool {
        self.kind == DeclarationKind::Namespace && self.parent == NONE && self.shape <= 1
    }
}

/// The sorts of declarations.
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
    /// What is exported without a name.
    Default,
    /// A method.
    Method,
    /// A field or property.
    Property,
    /// What is called when a property is read.
    Getter,
    /// What is called when a property is written.
    Setter,
    /// What makes an instance.
    Constructor,
    /// One of an enumeration.
    EnumMember,
    /// A call, construct or index signature.
    Signature,
    /// A statement that declares nothing.
    Statement,
    /// Members of a declaration that stands elsewhere, by whose name it goes.
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

    /// The word for it.
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

    /// Whether it only names a type.
    pub fn is_type(self) -> bool {
        matches!(self, Self::Interface | Self::Type)
    }
}

/// What can be said of a declaration in a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flags(pub u8);

impl Flags {
    /// Another file may name it.
    pub const EXPORTED: u8 = 1;
    /// It belongs to the class and not to its instances.
    pub const STATIC: u8 = 2;
    /// It is inside code that runs: no outline of the file has it.
    pub const LOCAL: u8 = 4;
    /// It is a part of another declaration: a member.
    pub const MEMBER: u8 = 8;
    /// It is in force everywhere, without an import.
    pub const GLOBAL: u8 = 16;

    /// Files of its own package may name it, and nobody else.
    pub const INTERNAL: u8 = 32;

    /// Whether all of these are said.
    pub fn has(self, flags: u8) -> bool {
        self.0 & flags == flags
    }
}

/// What a name means where it is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The name.
    pub name: u32,
    /// The first declaration of it; more may be merged with it.
    pub item: u32,
    /// Which of the imports it is.
    pub import: u32,
    /// The value, or for a type parameter its constraint.
    pub shape: u32,
    /// For a type parameter: what it is when nothing is said.
    pub default: u32,
    /// Whether it is a type parameter.
    pub is_parameter: bool,
}

/// What is known of a value or a type. Numbers are shapes but where another table is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Shape {
    /// Nothing.
    Unknown,
    /// It has no members that are declared in a repository: text, numbers and the like.
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
    /// A member of a value, or of a type by the name of the member.
    Member {
        /// The value.
        base: u32,
        /// The member's name.
        name: u32,
    },
    /// A type out of a namespace.
    Qualified {
        /// The namespace.
        base: u32,
        /// The type's name.
        name: u32,
        /// Its type arguments.
        arguments: List,
    },
    /// Any of what a list, a set or a table holds.
    Element {
        /// The list.
        base: u32,
    },
    /// The one at a place of a list.
    Entry {
        /// The list.
        base: u32,
        /// The place.
        index: u32,
    },
    /// What a call gives.
    Call {
        /// What is called.
        callee: u32,
        /// What it is called with.
        arguments: List,
        /// The type arguments.
        types: List,
    },
    /// What making an instance gives.
    New {
        /// What is made.
        callee: u32,
        /// What it is made of.
        arguments: List,
        /// The type arguments.
        types: List,
    },
    /// What waiting for a value gives.
    Awaited {
        /// The value.
        base: u32,
    },
    /// A literal of members.
    Object {
        /// The members: declarations.
        members: List,
        /// What else has its members in it.
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
    /// One of several.
    Union {
        /// Which.
        parts: List,
    },
    /// All of several at once.
    Intersection {
        /// Which.
        parts: List,
    },
    /// A list.
    Array {
        /// What it holds.
        element: u32,
    },
    /// A list with a type for each place.
    Tuple {
        /// What it holds.
        parts: List,
    },
    /// A type with the members of another.
    Mapped {
        /// Whose members.
        source: u32,
        /// What each of them is.
        value: u32,
    },
    /// The names of the members of a type.
    Keys {
        /// The type.
        base: u32,
    },
    /// An instance of the class around.
    This {
        /// The class.
        item: u32,
    },
    /// The same, as what it extends.
    Super {
        /// The class.
        item: u32,
    },
    /// What a function that is expected takes.
    Parameter {
        /// The expected type.
        function: u32,
        /// Which parameter.
        index: u32,
    },
    /// What a function that is expected gives.
    Returned {
        /// The expected type.
        function: u32,
    },
    /// What a call expects as an argument.
    Argument {
        /// The call.
        call: u32,
        /// Which argument.
        index: u32,
    },
    /// What a component expects.
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
        /// The value as it was before: what it is where the function says nothing.
        value: u32,
    },
}

/// The signature of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Its type parameters: bindings.
    pub parameters: List,
    /// What it takes.
    pub takes: List,
    /// Whether the last of these takes all that is left.
    pub has_rest: bool,
    /// What it gives: as written, or what its body returns.
    pub gives: u32,
    /// Whether what it gives is written.
    pub is_written: bool,
    /// Whether what it gives has to be waited for, though that is not written.
    pub is_async: bool,
    /// What the first of what it takes is, where it says yes.
    pub guards: u32,
}

/// The use of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// Where.
    pub at: u32,
    /// The name.
    pub name: u32,
    /// How it is used.
    pub usage: Usage,
    /// For a name: the binding. Otherwise the shape that has a member of that name.
    pub of: u32,
}

/// The ways to use a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Usage {
    /// As a value.
    Value,
    /// As a type.
    Type,
    /// As a member of a value or namespace.
    Member,
    /// To take a value apart.
    Taken,
    /// To say which member of the expected type is given.
    Given,
}

/// Something imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// From where: a name.
    pub specifier: u32,
    /// What: its exported name; absent for the module itself.
    pub name: u32,
    /// Whether it is looked up by the rules for `require`.
    pub is_required: bool,
}

/// Something exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exported {
    /// The name it is exported under.
    pub name: u32,
    /// What it is.
    pub what: Export,
}

/// What an exported name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Export {
    /// What a name of the file means.
    Binding(u32),
    /// A declaration without a name of its own.
    Item(u32),
    /// A name of another module.
    From {
        /// The module: a name.
        specifier: u32,
        /// The name there; absent for the module itself.
        name: u32,
        /// Where it is written.
        at: u32,
    },
}

impl Declarations {
    /// Whether every way through them ends: parents come first, and what is merged comes later.
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

    /// The number of a name, if it occurs.
    pub fn find_name(&self, wanted: &str) -> Option<u32> {
        self.names.iter().position(|name| **name == *wanted).map(|at| at as u32)
    }

    /// The numbers of a list.
    pub fn list(&self, list: List) -> &[u32] {
        let start = list.start as usize;
        self.lists.get(start..start + list.len as usize).unwrap_or_default()
    }

    /// A declaration.
    pub fn item(&self, item: u32) -> Option<&Declaration> {
        self.items.get(item as usize)
    }

    /// A shape; unknown where there is none.
    pub fn shape(&self, shape: u32) -> Shape {
        self.shapes.get(shape as usize).copied().unwrap_or(Shape::Unknown)
    }

    /// The references in a part of the text.
    pub fn references_in(&self, span: Span) -> &[Reference] {
        let first = self.references.partition_point(|reference| reference.at < span.start);
        let after = self.references.partition_point(|reference| reference.at < span.end);
        self.references.get(first..after).unwrap_or_default()
    }

    /// The declaration of the file (no member, nothing local) around a place.
    pub fn outermost_at(&self, at: u32) -> Option<u32> {
        let holds = |item: &Declaration| item.parent == NONE && item.span.holds(at);
        self.items.iter().position(holds).map(|item| item as u32)
    }

    /// An item and what it is part of, the innermost first.
    pub fn ancestors(&self, item: u32) -> impl Iterator<Item = u32> {
        let mut next = item;
        std::iter::from_fn(move || {
            let current = next;
            next = self.item(current)?.parent;
            Some(current)
        })
    }

    /// A declaration and all that are merged with it.
    pub fn merged(&self, first: u32) -> impl Iterator<Item = u32> {
        let mut next = first;
        std::iter::from_fn(move || {
            let current = next;
            next = self.item(current)?.next;
            Some(current)
        })
    }
}

/// What a language knows of a name that no file declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Builtin {
    /// Nothing.
    Unknown,
    /// A list of its first type argument.
    List,
    /// A table from its first type argument to its second.
    Table,
    /// Has the members of the type argument with this number.
    Same(u32),
    /// Its first type argument, when it is waited for.
    Promise,
    /// What its first type argument, a function, gives.
    Returned,
    /// What its first type argument, a function, takes.
    Taken,
    /// An instance of its first type argument, a class.
    Instance,
    /// A component that expects its first type argument.
    Component,
    /// A box: this member of it is its first type argument.
    Box(&'static str),
    /// Its first type argument; this member of it is the second.
    Either(&'static str),
    /// A list of what its first argument, a table, holds.
    Held,
    /// A list of pairs of a name and what its first argument, a table, holds under it.
    HeldPairs,
}

/// What a language knows of a method of a list, a table or a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuiltinMethod {
    /// Nothing.
    Unknown,
    /// It gives the same again.
    Same,
    /// It gives what is held.
    Element,
    /// It gives a list of what the function it is called with gives.
    Mapped,
    /// It gives what the function it is called with gives.
    Returned,
    /// It gives pairs of a place and what is held there.
    Pairs,
    /// It is given what is held, from the argument with this number on.
    Takes,
}

/// What a language knows of names that no file declares.
pub trait Builtins {
    /// A type, or what makes an instance.
    fn named(&self, name: &str) -> Builtin;

    /// A method of a list, a table or a promise, and which parameter of the function it is called
    /// with is what is held.
    fn method(&self, name: &str) -> (BuiltinMethod, u32);

    /// A function that is called and not declared: what it gives.
    fn called(&self, name: &str) -> Builtin;

    /// Whether a name that nothing declares comes with the language or what it runs on. Where that is not known
    /// it is taken to.
    fn is_given(&self, _name: &str) -> bool {
        true
    }

    /// What a file is called as a module, by its path, in a language whose specifiers lead to files only
    /// together with what other files say. There, a name that a file does not declare itself is looked
    /// for in the files that the Map says it depends on. `None` where a specifier alone means a file.
    fn module<'p>(&self, _path: &'p str) -> Option<&'p str> {
        None
    }

    /// Whether a file of this name has text beside its code that uses what the code declares, and is not read.
    fn has_template(&self, _path: &str) -> bool {
        false
    }

    /// Whether a member of a type that nothing declares makes an instance of it when it is called.
    fn makes(&self, _name: &str) -> bool {
        false
    }

    /// Whether a specifier leads out of the repository, whatever the files in reach declare. `is_alike` says whether
    /// the path of one of these has a part of the specifier.
    fn leads_outside(&self, _specifier: &str, _is_alike: bool) -> bool {
        false
    }

    /// How an import is written that is found in code: by a statement, or by a call that requires.
    fn import_form(&self, _is_required: bool) -> ImportForm {
        ImportForm::default()
    }

    /// Whether a file of this name may declare what is in force without an import.
    fn is_ambient(&self, _path: &str) -> bool {
        false
    }

    /// What stands in any other file that does.
    fn ambient_mark(&self) -> Option<&'static str> {
        None
    }

    /// The interface that describes the object whose members are in force everywhere, by its name.
    fn scope(&self, _name: &str) -> Option<&'static str> {
        None
    }
}
