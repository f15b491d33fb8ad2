//! Reads destructuring patterns of variables, parameters and assignments.

use oxc_ast::ast::{
    AssignmentTarget, AssignmentTargetMaybeDefault, AssignmentTargetProperty, BindingPattern,
    ObjectPattern, PropertyKey,
};
use portolan_types::declarations::{DeclarationKind, NONE, Shape, Usage};

use super::scope::Space;
use super::{PLAIN, UNKNOWN, Walker};

impl Walker {
    /// Binds the names of a pattern that destructures a value. With `item`, they are declarations
    /// of the file.
    pub(super) fn pattern(&mut self, pattern: &BindingPattern<'_>, shape: u32, item: Option<u32>) {
        match pattern {
            BindingPattern::BindingIdentifier(it) => match item {
                None => {
                    self.local(&it.name, shape);
                }
                Some(item) => self.declared_by(item, &it.name, it.span, shape),
            },
            BindingPattern::ObjectPattern(it) => self.object_pattern(it, shape, item),
            BindingPattern::ArrayPattern(it) => {
                for (index, element) in it.elements.iter().enumerate() {
                    let part = self.entry(shape, index as u32);
                    if let Some(element) = element {
                        self.pattern(element, part, item);
                    }
                }
                if let Some(rest) = &it.rest {
                    self.pattern(&rest.argument, shape, item);
                }
            }
            BindingPattern::AssignmentPattern(it) => {
                let value = self.expression(&it.right, shape);
                let shape = if shape == UNKNOWN { value } else { shape };
                self.pattern(&it.left, shape, item);
            }
        }
    }

    /// Binds a name of a declaration: its own name, or one that it destructures.
    fn declared_by(&mut self, item: u32, name: &str, span: oxc_span::Span, shape: u32) {
        let name = self.name(name);
        let own = self.facts.item(item).is_some_and(|it| it.name == name);
        if own {
            self.bind_item(name, Space::Value, item, shape);
            return;
        }
        let statement = self.facts.item(item).map(|it| it.span).unwrap_or_default();
        let part = self.item(DeclarationKind::Variable, name, span);
        let at = self.base + span.start;
        self.edit(part, |it| (it.span, it.at, it.shape) = (statement, at, shape));
        self.bind_item(name, Space::Value, part, shape);
    }

    fn object_pattern(&mut self, it: &ObjectPattern<'_>, shape: u32, item: Option<u32>) {
        for property in &it.properties {
            let part = match self.key(&property.key) {
                Some((name, at)) => {
                    if shape != PLAIN && at != NONE {
                        self.refer(name, at, Usage::Taken, shape);
                    }
                    self.member(shape, name)
                }
                None => UNKNOWN,
            };
            self.pattern(&property.value, part, item);
        }
        if let Some(rest) = &it.rest {
            self.pattern(&rest.argument, shape, item);
        }
    }

    /// The name of a literal key, and its position if it is an identifier.
    pub(super) fn key(&mut self, key: &PropertyKey<'_>) -> Option<(u32, u32)> {
        match key {
            PropertyKey::StaticIdentifier(it) => Some((self.name(&it.name), it.span.start)),
            PropertyKey::PrivateIdentifier(it) => {
                let name = self.name(&format!("#{}", it.name));
                Some((name, it.span.start))
            }
            PropertyKey::StringLiteral(it) => Some((self.name(&it.value), NONE)),
            PropertyKey::NumericLiteral(it) => {
                let text = it.raw.as_ref().map_or("", |raw| raw.as_str());
                Some((self.name(text), NONE))
            }
            _ => {
                if let Some(computed) = key.as_expression() {
                    self.expression(computed, UNKNOWN);
                }
                None
            }
        }
    }

    pub(super) fn entry(&mut self, base: u32, index: u32) -> u32 {
        if base <= PLAIN { base } else { self.shape(Shape::Entry { base, index }) }
    }

    /// Reads an assignment target. `shape` is the assigned value, if known.
    pub(super) fn assignment_target(&mut self, target: &AssignmentTarget<'_>, shape: u32) -> u32 {
        match target {
            AssignmentTarget::AssignmentTargetIdentifier(it) => {
                self.value_name(&it.name, it.span.start)
            }
            AssignmentTarget::TSAsExpression(it) => self.expression(&it.expression, UNKNOWN),
            AssignmentTarget::TSSatisfiesExpression(it) => self.expression(&it.expression, UNKNOWN),
            AssignmentTarget::TSNonNullExpression(it) => self.expression(&it.expression, UNKNOWN),
            AssignmentTarget::TSTypeAssertion(it) => self.expression(&it.expression, UNKNOWN),
            AssignmentTarget::ArrayAssignmentTarget(it) => {
                for (index, element) in it.elements.iter().enumerate() {
                    if let Some(element) = element {
                        let part = self.entry(shape, index as u32);
                        self.assignment_part(element, part);
                    }
                }
                if let Some(rest) = &it.rest {
                    self.assignment_target(&rest.target, shape);
                }
                UNKNOWN
            }
            AssignmentTarget::ObjectAssignmentTarget(it) => {
                for property in &it.properties {
                    self.assignment_property(property, shape);
                }
                if let Some(rest) = &it.rest {
                    self.assignment_target(&rest.target, shape);
                }
                UNKNOWN
            }
            _ => target
                .as_member_expression()
                .map_or(UNKNOWN, |member| self.member_expression(member)),
        }
    }

    fn assignment_part(&mut self, part: &AssignmentTargetMaybeDefault<'_>, shape: u32) {
        if let AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(it) = part {
            self.expression(&it.init, shape);
            self.assignment_target(&it.binding, shape);
        } else if let Some(target) = part.as_assignment_target() {
            self.assignment_target(target, shape);
        }
    }

    fn assignment_property(&mut self, property: &AssignmentTargetProperty<'_>, shape: u32) {
        match property {
            AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(it) => {
                self.value_name(&it.binding.name, it.binding.span.start);
                if let Some(init) = &it.init {
                    self.expression(init, UNKNOWN);
                }
            }
            AssignmentTargetProperty::AssignmentTargetPropertyProperty(it) => {
                let part = match self.key(&it.name) {
                    Some((name, at)) => {
                        if shape != PLAIN && at != NONE {
                            self.refer(name, at, Usage::Taken, shape);
                        }
                        self.member(shape, name)
                    }
                    None => UNKNOWN,
                };
                self.assignment_part(&it.binding, part);
            }
        }
    }
}
