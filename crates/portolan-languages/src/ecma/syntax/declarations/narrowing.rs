//! Narrows the types of values by conditions: `x instanceof C`, `isC(x)`, `x.kind === 'a'`, `'a' in x`.

use oxc_ast::ast::{
    Argument, BinaryExpression, BinaryOperator, ChainElement, Expression, LogicalOperator,
    Statement, StaticMemberExpression, SwitchCase, TSType, TSTypeName, UnaryOperator,
};
use portolan_types::declarations::{List, NONE, Shape, Test};

use super::scope::Space;
use super::{UNKNOWN, Walker};

/// Paths, and their types where a condition holds.
pub(super) type Narrowed = Vec<(Path, u32)>;

/// A name and the members that lead from it. `this` is a name, too.
pub(super) type Path = Vec<u32>;

/// The most names in a path.
const LONGEST_PATH: usize = 5;
/// A narrowed path: the binding of its first name, its members, and its shape.
pub(super) type KnownPath = (u32, Vec<u32>, u32);

impl Walker {
    /// The values that a condition narrows, if it is true (`holds`) or false.
    pub(super) fn narrowed(&mut self, test: &Expression<'_>, holds: bool) -> Narrowed {
        let mut found = Vec::new();
        self.narrow(test, holds, &mut found);
        found
    }

    fn narrow(&mut self, test: &Expression<'_>, holds: bool, found: &mut Narrowed) {
        match test {
            Expression::ParenthesizedExpression(it) => self.narrow(&it.expression, holds, found),
            Expression::UnaryExpression(it) if it.operator == UnaryOperator::LogicalNot => {
                self.narrow(&it.argument, !holds, found);
            }
            Expression::LogicalExpression(it) => {
                let is_both = match it.operator {
                    LogicalOperator::And => holds,
                    LogicalOperator::Or => !holds,
                    LogicalOperator::Coalesce => return,
                };
                if is_both {
                    self.narrow(&it.left, holds, found);
                    self.narrow(&it.right, holds, found);
                } else {
                    let left = self.narrowed(&it.left, holds);
                    let right = self.narrowed(&it.right, holds);
                    self.either(left, &right, found);
                }
            }
            Expression::BinaryExpression(it) => self.compared(it, holds, found),
            Expression::CallExpression(it) => {
                let first = it.arguments.first().and_then(Argument::as_expression);
                if let Some(first) = first
                    && let Some(path) = self.path(first)
                    && let Some(function) = self.quiet(&it.callee)
                    && let Some(value) = self.value_of(first, &path, found)
                {
                    let shape = self.shape(Shape::Guarded { function, value, holds });
                    found.push((path, shape));
                }
            }
            test => self.tested(test, Test::Truthy, holds, found),
        }
    }

    /// What is known where one of two conditions holds: only what both say something of.
    fn either(&mut self, left: Narrowed, right: &Narrowed, found: &mut Narrowed) {
        for (path, shape) in left {
            let other = right.iter().rev().find(|(it, _)| *it == path);
            if let Some((_, other)) = other {
                let shape = self.union(&[shape, *other]);
                found.push((path, shape));
            }
        }
    }

    fn compared(&mut self, it: &BinaryExpression<'_>, holds: bool, found: &mut Narrowed) {
        match it.operator {
            BinaryOperator::Instanceof if holds => {
                if let Some(path) = self.path(&it.left)
                    && let Some(callee) = self.quiet(&it.right)
                {
                    let none = List::default();
                    let made = self.shape(Shape::New { callee, arguments: none, types: none });
                    found.push((path, made));
                }
            }
            BinaryOperator::In => {
                if let Expression::StringLiteral(key) = &it.left {
                    let member = self.name(&key.value);
                    self.narrow_by(&it.right, member, Test::Exists, holds, found);
                }
            }
            operator if operator.is_equality() => {
                let holds = holds
                    == matches!(
                        operator,
                        BinaryOperator::Equality | BinaryOperator::StrictEquality
                    );
                if let Some(value) = self.constant(&it.right) {
                    self.tested(&it.left, Test::Equals(value), holds, found);
                } else if let Some(value) = self.constant(&it.left) {
                    self.tested(&it.right, Test::Equals(value), holds, found);
                }
            }
            _ => {}
        }
    }

    /// Narrows `x` by a test of `x.kind`.
    fn tested(&mut self, value: &Expression<'_>, test: Test, holds: bool, found: &mut Narrowed) {
        let (object, member) = match value {
            Expression::StaticMemberExpression(it) => (&it.object, it.property.name.as_str()),
            Expression::ComputedMemberExpression(it) => match &it.expression {
                Expression::StringLiteral(key) => (&it.object, key.value.as_str()),
                _ => return,
            },
            Expression::ChainExpression(it) => match &it.expression {
                ChainElement::StaticMemberExpression(it) => (&it.object, it.property.name.as_str()),
                _ => return,
            },
            Expression::TSNonNullExpression(it) => {
                return self.tested(&it.expression, test, holds, found);
            }
            _ => return,
        };
        let member = self.name(member);
        self.narrow_by(object, member, test, holds, found);
    }

    fn narrow_by(
        &mut self,
        object: &Expression<'_>,
        member: u32,
        test: Test,
        holds: bool,
        found: &mut Narrowed,
    ) {
        let Some(path) = self.path(object) else { return };
        let Some(value) = self.value_of(object, &path, found) else { return };
        let shape = self.shape(Shape::Narrowed { value, member, test, holds });
        found.push((path, shape));
    }

    /// The path of a value that a condition can narrow: a parameter or a variable of the enclosing function, or a member
    /// of any name.
    fn path(&mut self, value: &Expression<'_>) -> Option<Path> {
        match value {
            Expression::Identifier(it) => {
                let name = self.name(&it.name);
                let binding = self.scopes.lookup(name)?;
                let known = self.facts.bindings.get(binding as usize)?;
                let is_own = known.item == NONE && known.import == NONE;
                is_own.then(|| vec![name])
            }
            value => self.member_path(value).filter(|path| path.len() > 1),
        }
    }

    /// The path of a value.
    pub(super) fn member_path(&mut self, value: &Expression<'_>) -> Option<Path> {
        match value {
            Expression::Identifier(it) => Some(vec![self.name(&it.name)]),
            Expression::ThisExpression(_) => Some(vec![NONE]),
            Expression::StaticMemberExpression(it) => {
                let mut path = self.member_path(&it.object)?;
                path.push(self.name(&it.property.name));
                (path.len() <= LONGEST_PATH).then_some(path)
            }
            Expression::ChainExpression(it) => match &it.expression {
                ChainElement::StaticMemberExpression(it) => {
                    let mut path = self.member_path(&it.object)?;
                    path.push(self.name(&it.property.name));
                    (path.len() <= LONGEST_PATH).then_some(path)
                }
                _ => None,
            },
            Expression::TSNonNullExpression(it) => self.member_path(&it.expression),
            Expression::ParenthesizedExpression(it) => self.member_path(&it.expression),
            _ => None,
        }
    }

    /// The shape of a path before the next condition: as an earlier one narrowed it, or the value itself.
    fn value_of(&mut self, it: &Expression<'_>, path: &Path, found: &Narrowed) -> Option<u32> {
        let known = found.iter().rev().find(|(known, _)| known == path);
        known.map(|(_, shape)| *shape).or_else(|| self.quiet(it))
    }

    /// The shape of a constant that a member is compared with.
    pub(super) fn constant(&mut self, value: &Expression<'_>) -> Option<u32> {
        let text = match value {
            Expression::ParenthesizedExpression(it) => return self.constant(&it.expression),
            // `'a' as const`; what is cast to something else may be anything.
            Expression::TSAsExpression(it) if is_const(&it.type_annotation) => {
                return self.constant(&it.expression);
            }
            Expression::StringLiteral(it) => format!("'{}", it.value),
            Expression::NumericLiteral(it) => it.raw.as_ref()?.to_string(),
            Expression::BooleanLiteral(it) => it.value.to_string(),
            Expression::NullLiteral(_) => "null".to_owned(),
            Expression::Identifier(it) if it.name == "undefined" => "undefined".to_owned(),
            Expression::StaticMemberExpression(it) => {
                let Expression::Identifier(space) = &it.object else { return None };
                let is_enum = space.name.starts_with(|first: char| first.is_uppercase());
                return if is_enum { self.quiet(value) } else { None };
            }
            _ => return None,
        };
        let name = self.name(&text);
        Some(self.shape(Shape::Literal { name }))
    }

    /// The shape of a path of names. Adds no reference, because the path already has one.
    fn quiet(&mut self, value: &Expression<'_>) -> Option<u32> {
        match value {
            Expression::Identifier(it) => {
                let name = self.name(&it.name);
                let shape = self.shape(Shape::Free { name });
                self.scopes.ask(name, Space::Value, shape, NONE);
                Some(shape)
            }
            Expression::StaticMemberExpression(it) => {
                let base = self.quiet(&it.object)?;
                let name = self.name(&it.property.name);
                let known = self.known_member(it);
                known.or_else(|| Some(self.member(base, name)))
            }
            Expression::ChainExpression(it) => match &it.expression {
                ChainElement::StaticMemberExpression(it) => {
                    let base = self.quiet(&it.object)?;
                    let name = self.name(&it.property.name);
                    let known = self.known_member(it);
                    known.or_else(|| Some(self.member(base, name)))
                }
                _ => None,
            },
            Expression::TSNonNullExpression(it) => self.quiet(&it.expression),
            Expression::ParenthesizedExpression(it) => self.quiet(&it.expression),
            Expression::ThisExpression(_) => Some(self.this).filter(|this| *this != UNKNOWN),
            _ => None,
        }
    }

    /// The narrowed shape of a member, if it has one here.
    pub(super) fn known_member(&mut self, it: &StaticMemberExpression<'_>) -> Option<u32> {
        if self.paths.is_empty() {
            return None;
        }
        let mut path = self.member_path(&it.object)?;
        path.push(self.name(&it.property.name));
        let (first, rest) = path.split_first()?;
        let root = self.root(*first);
        let mut known = self.paths.iter().rev();
        known.find(|(at, names, _)| *at == root && names == rest).map(|(_, _, shape)| *shape)
    }

    /// The binding of a name before conditions narrowed it.
    fn root(&self, name: u32) -> u32 {
        let mut binding = self.scopes.lookup(name).unwrap_or(NONE);
        while let Some(before) = self.narrowed_from.get(&binding) {
            binding = *before;
        }
        binding
    }

    /// Walks code in which values have narrowed types.
    pub(super) fn within_narrowed<R>(
        &mut self,
        narrowed: Narrowed,
        walk: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let before = self.paths.len();
        let result = self.scoped(false, |walker| {
            walker.take_narrowed(narrowed);
            walk(walker)
        });
        self.paths.truncate(before);
        result
    }

    pub(super) fn take_narrowed(&mut self, narrowed: Narrowed) {
        for (path, shape) in narrowed {
            let Some((first, rest)) = path.split_first() else { continue };
            if rest.is_empty() {
                let before = self.scopes.lookup(*first).unwrap_or(NONE);
                let text = self.facts.name(*first).to_owned();
                let binding = self.local(&text, shape);
                self.narrowed_from.insert(binding, before);
            } else {
                let root = self.root(*first);
                self.paths.push((root, rest.to_vec(), shape));
            }
        }
    }

    /// What is known in a case of a `switch` over `x.kind`, after the tests that lead to it; without tests, what is left by
    /// all of them.
    pub(super) fn in_case(
        &mut self,
        value: &Expression<'_>,
        tests: &[u32],
        cases: &[SwitchCase<'_>],
    ) -> Narrowed {
        let mut found = Vec::new();
        if tests.is_empty() {
            for case in cases {
                let Some(test) = case.test.as_ref().and_then(|test| self.constant(test)) else {
                    continue;
                };
                self.tested(value, Test::Equals(test), false, &mut found);
            }
            return found.pop().into_iter().collect();
        }
        for test in tests {
            let mut one = Vec::new();
            self.tested(value, Test::Equals(*test), true, &mut one);
            if found.is_empty() {
                found = one;
            } else {
                let before = std::mem::take(&mut found);
                self.either(before, &one, &mut found);
            }
        }
        found
    }
}

/// `as const`.
pub(super) fn is_const(to: &TSType<'_>) -> bool {
    matches!(to, TSType::TSTypeReference(it)
        if matches!(&it.type_name, TSTypeName::IdentifierReference(id) if id.name == "const"))
}

/// Whether the code after a statement is unreachable.
pub(super) fn exits(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ReturnStatement(_)
        | Statement::ThrowStatement(_)
        | Statement::ContinueStatement(_)
        | Statement::BreakStatement(_) => true,
        Statement::BlockStatement(block) => block.body.last().is_some_and(exits),
        _ => false,
    }
}
