//! Narrows the types of names by conditions: `x instanceof C`, `isC(x)`.

use oxc_ast::ast::{
    Argument, BinaryOperator, Expression, LogicalOperator, Statement, UnaryOperator,
};
use portolan_types::declarations::{List, NONE, Shape};

use super::scope::Space;
use super::{UNKNOWN, Walker};

/// Names, and their types where a condition holds.
pub(super) type Narrowed = Vec<(u32, u32)>;

impl Walker {
    /// The local names that a condition narrows, if it is true (`holds`) or false.
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
                    LogicalOperator::Coalesce => false,
                };
                if is_both {
                    self.narrow(&it.left, holds, found);
                    self.narrow(&it.right, holds, found);
                }
            }
            Expression::BinaryExpression(it)
                if holds && it.operator == BinaryOperator::Instanceof =>
            {
                if let Some(name) = self.own_name(&it.left)
                    && let Some(callee) = self.quiet(&it.right)
                {
                    let none = List::default();
                    let made = self.shape(Shape::New { callee, arguments: none, types: none });
                    found.push((name, made));
                }
            }
            Expression::CallExpression(it) if holds => {
                let first = it.arguments.first().and_then(Argument::as_expression);
                if let Some(first) = first
                    && let Some(name) = self.own_name(first)
                    && let Some(function) = self.quiet(&it.callee)
                    && let Some(value) = self.quiet(first)
                {
                    found.push((name, self.shape(Shape::Guarded { function, value })));
                }
            }
            _ => {}
        }
    }

    /// A parameter or a variable of the enclosing function.
    fn own_name(&mut self, value: &Expression<'_>) -> Option<u32> {
        let Expression::Identifier(it) = value else { return None };
        let name = self.name(&it.name);
        let binding = self.scopes.lookup(name)?;
        let known = self.facts.bindings.get(binding as usize)?;
        (known.item == NONE && known.import == NONE).then_some(name)
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
                Some(self.member(base, name))
            }
            Expression::ThisExpression(_) => Some(self.this).filter(|this| *this != UNKNOWN),
            _ => None,
        }
    }

    /// Walks code in which names have narrowed types.
    pub(super) fn within_narrowed<R>(
        &mut self,
        narrowed: Narrowed,
        walk: impl FnOnce(&mut Self) -> R,
    ) -> R {
        self.scoped(false, |walker| {
            walker.take_narrowed(narrowed);
            walk(walker)
        })
    }

    pub(super) fn take_narrowed(&mut self, narrowed: Narrowed) {
        for (name, shape) in narrowed {
            let text = self.facts.name(name).to_owned();
            self.local(&text, shape);
        }
    }
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
