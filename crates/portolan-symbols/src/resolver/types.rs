//! Types during evaluation.

use portolan_types::FileId;
use std::rc::Rc;

use portolan_types::declarations::List;

use super::Place;

/// A type: a shape of a file under some type arguments, or entities that are already evaluated.
#[derive(Clone, Debug)]
pub(super) enum Type {
    At {
        file: FileId,
        shape: u32,
        arguments: Arguments,
    },
    Known(Rc<Vec<Entity>>),
    /// Nothing better is known.
    Guess(Rc<Type>),
}

impl Type {
    /// A shape of a file, without type arguments.
    pub(super) fn at(file: FileId, shape: u32) -> Self {
        Self::At { file, shape, arguments: Arguments::default() }
    }

    pub(super) fn under(file: FileId, shape: u32, arguments: &Arguments) -> Self {
        Self::At { file, shape, arguments: arguments.clone() }
    }
}

/// The values of type parameters.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments(Option<Rc<Scope>>);

#[derive(Debug)]
struct Scope {
    file: FileId,
    bound: Vec<(u32, Type)>,
    around: Arguments,
    depth: u32,
}

/// The greatest nesting of type arguments.
const MOST_SCOPES: u32 = 12;

impl Arguments {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Adds the parameters of a declaration, as seen from inside it.
    pub(super) fn with(&self, file: FileId, bound: Vec<(u32, Type)>) -> Self {
        let depth = self.0.as_ref().map_or(0, |scope| scope.depth + 1);
        if bound.is_empty() || depth > MOST_SCOPES {
            return self.clone();
        }
        Self(Some(Rc::new(Scope { file, bound, around: self.clone(), depth })))
    }

    /// The value of a parameter.
    pub(super) fn get(&self, file: FileId, binding: u32) -> Option<Type> {
        let mut next = self.0.as_ref();
        while let Some(scope) = next {
            if scope.file == file
                && let Some((_, found)) = scope.bound.iter().find(|(known, _)| *known == binding)
            {
                return Some(found.clone());
            }
            next = scope.around.0.as_ref();
        }
        None
    }
}

/// A type after evaluation.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    /// An instance of a class, or a value with an interface's type.
    Instance(Place, Arguments),
    /// A class, an enumeration or a namespace as a value.
    Value(Place, Arguments),
    /// An object literal, or a type literal.
    Object { file: FileId, members: List, spreads: List, arguments: Arguments },
    /// A function.
    Function { file: FileId, signature: u32, arguments: Arguments },
    /// A list.
    List(Type),
    /// A list with a type for each position.
    Tuple { file: FileId, parts: List, arguments: Arguments },
    /// A table with values of this type.
    Table(Type),
    /// A promise of this type.
    Promise(Type),
    /// A component with these props.
    Component(Type),
    /// A box with one member.
    Box(&'static str, Type),
    /// A built-in function that calls its argument with these.
    Caller(Vec<Type>),
    /// A built-in function that takes this.
    Taker(Type),
    /// A type with the members of another type. If `value` is given, all of them have that type.
    Mapped { source: Type, value: Option<Type> },
    /// What has only the named members of another entity, or all but those.
    Chosen { of: Rc<Self>, names: Rc<[Box<str>]>, is_named: bool },
    /// What is all of these at once: one alternative that is written as an intersection.
    Joined(Rc<[Self]>),
    /// Members that were assigned to a value after its declaration.
    Assigned(Place),
    /// A module.
    Module(FileId),
}

impl Entity {
    /// Whether a member of this name was left out.
    pub(super) fn leaves_out(&self, name: &str) -> bool {
        match self {
            Self::Chosen { of, names, is_named } => {
                names.iter().any(|it| &**it == name) != *is_named || of.leaves_out(name)
            }
            Self::Joined(parts) => parts.iter().all(|part| part.leaves_out(name)),
            _ => false,
        }
    }

    /// What it is all of at once: itself, unless it was joined of several.
    pub(super) fn parts(&self) -> &[Self] {
        match self {
            Self::Joined(parts) => parts,
            entity => std::slice::from_ref(entity),
        }
    }

    /// What is all of these at once.
    pub(super) fn joined(parts: &[Self]) -> Self {
        let parts: Vec<Self> = parts.iter().flat_map(Self::parts).cloned().collect();
        match <[Self; 1]>::try_from(parts) {
            Ok([only]) => only,
            Err(parts) => Self::Joined(parts.into()),
        }
    }

    /// The entity that members were chosen of.
    pub(super) fn chosen_of(&self) -> &Self {
        match self {
            Self::Chosen { of, .. } => of.chosen_of(),
            entity => entity,
        }
    }

    /// Whether it is built into the language: no file declares its members.
    pub(super) fn is_of_language(&self) -> bool {
        self.parts().iter().all(|part| {
            matches!(
                part,
                Self::List(_)
                    | Self::Tuple { .. }
                    | Self::Table(_)
                    | Self::Promise(_)
                    | Self::Function { .. }
                    | Self::Caller(_)
                    | Self::Taker(_)
                    | Self::Box(..)
            )
        })
    }
}

/// What a shape under evaluation is assumed to be where it depends on itself.
#[derive(Debug)]
pub(super) struct Assumed {
    pub(super) key: (FileId, u32),
    pub(super) entities: Rc<Vec<Entity>>,
    pub(super) is_used: bool,
}

/// The entities of a shape, and whether they are certain.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) entities: Rc<Vec<Entity>>,
    pub(super) is_exact: bool,
    pub(super) is_choice: bool,
    pub(super) gaps: super::Gaps,
}
