//! What is known of a type while it is followed.

use std::rc::Rc;

use portolan_types::declarations::List;

use super::Place;

/// A type: a shape of a file under some type arguments, or what is known already.
#[derive(Clone, Debug)]
pub(super) enum Type {
    At { file: u32, shape: u32, arguments: Arguments },
    Known(Rc<Vec<Entity>>),
}

impl Type {
    /// A shape of a file, without type arguments.
    pub(super) fn at(file: u32, shape: u32) -> Self {
        Self::At { file, shape, arguments: Arguments::default() }
    }

    pub(super) fn under(file: u32, shape: u32, arguments: &Arguments) -> Self {
        Self::At { file, shape, arguments: arguments.clone() }
    }
}

/// What type parameters stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments(Option<Rc<Scope>>);

#[derive(Debug)]
struct Scope {
    file: u32,
    bound: Vec<(u32, Type)>,
    around: Arguments,
    depth: u32,
}

/// Type arguments in type arguments: beyond this nothing is told.
const MOST_SCOPES: u32 = 12;

impl Arguments {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// These, seen from inside a declaration with parameters of its own.
    pub(super) fn with(&self, file: u32, bound: Vec<(u32, Type)>) -> Self {
        let depth = self.0.as_ref().map_or(0, |scope| scope.depth + 1);
        if bound.is_empty() || depth > MOST_SCOPES {
            return self.clone();
        }
        Self(Some(Rc::new(Scope { file, bound, around: self.clone(), depth })))
    }

    /// What a parameter stands for.
    pub(super) fn get(&self, file: u32, binding: u32) -> Option<Type> {
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

/// What a type comes down to.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    /// An instance of a class, or what an interface describes.
    Instance(Place, Arguments),
    /// A class, an enumeration or a namespace as a value.
    Value(Place, Arguments),
    /// A literal of members.
    Object { file: u32, members: List, spreads: List, arguments: Arguments },
    /// A function.
    Function { file: u32, signature: u32, arguments: Arguments },
    /// A list.
    List(Type),
    /// A list with a type for each place.
    Tuple { file: u32, parts: List, arguments: Arguments },
    /// A table of these values.
    Table(Type),
    /// What has to be waited for.
    Promise(Type),
    /// A component that expects this.
    Component(Type),
    /// A box with one member.
    Box(&'static str, Type),
    /// A function of the language that calls its argument with these.
    Caller(Vec<Type>),
    /// A function of the language that takes this.
    Taker(Type),
    /// A type with the members of another; each of them is this, if it is not what it was.
    Mapped { source: Type, value: Option<Type> },
    /// What was assigned to members of a value after it was declared.
    Assigned(Place),
    /// A module.
    Module(u32),
}

impl Entity {
    /// Whether it is what the language itself brings: no file declares its members.
    pub(super) fn is_of_language(&self) -> bool {
        matches!(
            self,
            Self::List(_)
                | Self::Tuple { .. }
                | Self::Table(_)
                | Self::Promise(_)
                | Self::Function { .. }
                | Self::Caller(_)
                | Self::Taker(_)
                | Self::Box(..)
        )
    }
}

/// What a shape comes down to, and whether there is a doubt.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) entities: Rc<Vec<Entity>>,
    pub(super) is_exact: bool,
}
