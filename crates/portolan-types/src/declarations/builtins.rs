//! What languages know about names that no file declares.

use crate::ImportForm;

/// What a language knows about a name that no file declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Builtin {
    /// Nothing.
    Unknown,
    /// A list of its first type argument.
    List,
    /// A map from its first type argument to its second.
    Table,
    /// It has the members of the type argument at this index.
    Same(u32),
    /// It has the members of its first type argument that its second names, or all but those.
    Members(bool),
    /// It has most members of the argument at this index.
    Alike(u32),
    /// Awaiting it gives its first type argument.
    Promise,
    /// The result of its first type argument, a function.
    Returned,
    /// The parameters of its first type argument, a function.
    Taken,
    /// An instance of its first type argument, a class.
    Instance,
    /// A component that expects its first type argument.
    Component,
    /// A component that expects the type argument at this index; without one, the component that it is given.
    Rendered(u32),
    /// Those alternatives of its first type argument that fit its second, or those that do not.
    Part(bool),
    /// A wrapper: this member of it has the type of its first type argument.
    Box(&'static str),
    /// Its first type argument; this member of it is the second.
    Either(&'static str),
    /// The two ends of a queue of its type argument.
    Ends,
    /// A list of what its first argument, a table, holds.
    Held,
    /// A list of pairs of a name and what its first argument, a table, holds under it.
    HeldPairs,
}

/// What a language knows about a method of a list, a map or a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuiltinMethod {
    /// Nothing.
    Unknown,
    /// It returns the same type again.
    Same,
    /// It returns an element.
    Element,
    /// It returns a list of the callback's results.
    Mapped,
    /// It returns the callback's result.
    Returned,
    /// It returns pairs of an index and an element.
    Pairs,
    /// It receives the elements, from the argument with this number on.
    Takes,
}

/// What a language knows about names that no file declares.
pub trait Builtins {
    /// A built-in type, or a class that can be instantiated.
    fn named(&self, name: &str) -> Builtin;

    /// A method of a list, a map or a promise, and the index of the callback's parameter that
    /// receives the element.
    fn method(&self, name: &str) -> (BuiltinMethod, u32);

    /// The result of a built-in function.
    fn called(&self, name: &str) -> Builtin;

    /// Whether uses are read. If not, every word may be a use of what has its name.
    fn reads_uses(&self) -> bool {
        true
    }

    /// Whether a name of a function means one thing in all files that know a declaration of it, though
    /// uses are not read further.
    fn links_by_name(&self) -> bool {
        false
    }

    /// Whether an undeclared name comes with the language or its platform. Languages that cannot tell
    /// return true.
    fn is_given(&self, _name: &str) -> bool {
        true
    }

    /// The module name of a file, by its path. For languages whose specifiers resolve only together
    /// with facts of other files: there, a name that the file does not declare is looked up in the
    /// files that the map says it depends on. `None` where a specifier alone names a file.
    fn module<'p>(&self, _path: &'p str) -> Option<&'p str> {
        None
    }

    /// The part of a module's name that the files of one package share, wherever they lie.
    fn package<'m>(&self, module: &'m str) -> &'m str {
        module
    }

    /// The name of the file that is a package itself, in the folder of the package.
    fn package_file(&self) -> Option<&'static str> {
        None
    }

    /// Whether a file of this name has a template that may use its declarations under other names: `my-name` for `myName`.
    fn has_template(&self, _path: &str) -> bool {
        false
    }

    /// How a function says that it takes the fields of this table as arguments by name.
    fn taken_apart(&self, _table: &str) -> Option<String> {
        None
    }

    /// What a comment begins with that says that two names of different files are one.
    fn linking_comment(&self) -> Option<&'static str> {
        None
    }

    /// The path of the file that declares the same as another one: of a stub or what it describes.
    fn twin(&self, _path: &str) -> Option<String> {
        None
    }

    /// The names of the getters and setters that what is written before a field or its class makes for it: `@Data`.
    fn made_accessors(&self, _marks: &str, _name: &str) -> Vec<String> {
        Vec::new()
    }

    /// Whether a function may be declared in one place and defined in another.
    fn declares_before(&self) -> bool {
        false
    }

    /// What the names of variables begin with, in a language where members are asked for by an arrow or two colons.
    fn variable_mark(&self) -> Option<char> {
        None
    }

    /// Whether a text that is the name of a member is another way to ask for it, as with `getattr`.
    fn names_by_text(&self) -> bool {
        false
    }

    /// Whether a class may use members of itself that only a class which builds on it and on others has.
    fn mixes_in(&self) -> bool {
        false
    }

    /// The member of a class that takes classes which count as building on it.
    fn registering(&self) -> Option<&'static str> {
        None
    }

    /// What the head of an interface has that types satisfy without naming it, by having its members. In a language that
    /// has a keyword for interfaces and says of none that it needs to be named, the text is empty.
    fn satisfied_mark(&self) -> Option<&'static str> {
        None
    }

    /// Whether a type implements an interface by having its methods, without saying so.
    fn implements_by_methods(&self) -> bool {
        false
    }

    /// The type of the language that declares this member, for the name of that type or of one that builds on it:
    /// `message` of a `TypeError` is one of `Error`.
    fn language_type(&self, _name: &str, _member: &str) -> Option<&'static str> {
        None
    }

    /// Whether a decorator, an annotation or an attribute is one of the language, which hands nothing on.
    fn is_own_mark(&self, _name: &str) -> bool {
        false
    }

    /// Whether a type from outside calls no members of what builds on it.
    fn is_passive_base(&self, _name: &str) -> bool {
        false
    }

    /// The methods that say what entering a context gives.
    fn entering(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether a file may add members to a type that another file declares.
    fn extends_elsewhere(&self) -> bool {
        true
    }

    /// The name of the files that declare what a test runner gives to the files beside and below them.
    fn fixtures(&self) -> Option<&'static str> {
        None
    }

    /// Whether a member of a type that nothing declares makes an instance of it when it is called.
    fn makes(&self, _name: &str) -> bool {
        false
    }

    /// Whether a member that belongs to instances can be named without one.
    fn names_bare_members(&self) -> bool {
        true
    }

    /// Whether a method that nothing declares gives text, a number or the like.
    fn gives_plain(&self, _name: &str) -> bool {
        false
    }

    /// The name of what makes instances, in languages where classes without it take their fields by name.
    fn constructor(&self) -> Option<&'static str> {
        None
    }

    /// Whether functions and modules of one name are two things.
    fn names_modules_apart(&self) -> bool {
        false
    }

    /// The member of a type that says which type's members a value of it has as well.
    fn target_type(&self) -> Option<&'static str> {
        None
    }

    /// The member by which a class answers for members that it does not declare.
    fn answers_for_members(&self) -> Option<&'static str> {
        None
    }

    /// The member of a type that says what one gets by going through a value of it.
    fn item_type(&self) -> Option<&'static str> {
        None
    }

    /// Whether functions often give what they are given, in a type that their signature leaves open.
    fn is_generic(&self) -> bool {
        false
    }

    /// Whether a method that nothing declares gives the value that it is called on: what is in a box that is used as if it
    /// were not there.
    fn passes(&self, _name: &str) -> bool {
        false
    }

    /// Whether a method that nothing declares calls a function that it is given with the value that it is called on.
    fn applies(&self, _name: &str) -> bool {
        false
    }

    /// Whether a specifier leads out of the repository, whatever the files in reach declare. `is_alike` says whether
    /// the path of one of these has a part of the specifier.
    fn leads_outside(&self, _specifier: &str, _is_alike: bool) -> bool {
        false
    }

    /// Whether a specifier can only mean a file of the repository, there or not: a relative path.
    fn stays_inside(&self, _specifier: &str) -> bool {
        false
    }

    /// Whether a function that nothing declares may give any value of the program.
    fn gives_anything(&self, _name: &str) -> bool {
        false
    }

    /// Whether the language itself gives every file a name, unless the file declares or imports another one.
    fn is_prelude(&self, _name: &str) -> bool {
        false
    }

    /// Whether a call tells a method from a field of the same name.
    fn calls_methods_only(&self) -> bool {
        false
    }

    /// The texts that mark a file which loads modules by other calls than imports: those of test runners.
    fn loading_marks(&self) -> &'static [&'static str] {
        &[]
    }

    /// How an import is written that is found in code: by a statement, or by a call that requires.
    fn import_form(&self, _is_required: bool) -> ImportForm {
        ImportForm::default()
    }

    /// Whether a file of this name may declare global names.
    fn is_ambient(&self, _path: &str) -> bool {
        false
    }

    /// The text that marks any other file that declares global names.
    fn ambient_mark(&self) -> Option<&'static str> {
        None
    }

    /// The interface that describes the global object of this name.
    fn scope(&self, _name: &str) -> Option<&'static str> {
        None
    }
}
