//! Reads classes and object literals.

use oxc_ast::ast::{
    Class, ClassElement, Expression, MethodDefinition, MethodDefinitionKind, ObjectExpression,
    ObjectProperty, ObjectPropertyKind, PropertyKey, PropertyKind,
};
use oxc_span::Span as OxcSpan;
use portolan_types::declarations::{DeclarationKind, Flags, NONE, Shape, Test, Usage};

use super::scope::Space;
use super::{UNKNOWN, Walker};

impl Walker {
    pub(super) fn class_item(&mut self, it: &Class<'_>, statement: OxcSpan) -> u32 {
        let name = it.id.as_ref().map_or("default", |id| id.name.as_str());
        let name = self.name(name);
        let item = self.item(DeclarationKind::Class, name, statement);
        let shape = self.shape(Shape::Class { item });
        self.bind_item(name, Space::Both, item, shape);
        self.class_body(item, shape, it);
        item
    }

    pub(super) fn class_expression(&mut self, it: &Class<'_>) -> u32 {
        let name = it.id.as_ref().map_or("", |id| id.name.as_str());
        let name = self.name(name);
        let item = self.item(DeclarationKind::Class, name, it.span);
        let shape = self.shape(Shape::Class { item });
        self.scoped(false, |walker| {
            if it.id.is_some() {
                walker.bind_item(name, Space::Both, item, shape);
            }
            walker.class_body(item, shape, it);
        });
        shape
    }

    fn class_body(&mut self, item: u32, shape: u32, it: &Class<'_>) {
        let body = self.span(it.body.span);
        self.edit(item, |it| (it.shape, it.body) = (shape, body));
        for decorator in &it.decorators {
            self.expression(&decorator.expression, UNKNOWN);
        }
        let this = self.shape(Shape::This { item });
        let around = (self.class, self.this);
        self.scoped(true, |walker| {
            walker.within(item, |walker| {
                let parameters = walker.type_parameters(it.type_parameters.as_deref());
                walker.edit(item, |it| it.parameters = parameters);
                walker.heritage(item, it);
                (walker.class, walker.this) = (item, this);
                let mut members = Vec::new();
                for element in &it.body.body {
                    walker.class_element(element, shape, &mut members);
                }
                let members = walker.list(&members);
                walker.edit(item, |it| it.members = members);
            });
        });
        (self.class, self.this) = around;
    }

    fn heritage(&mut self, item: u32, it: &Class<'_>) {
        let mut bases = Vec::new();
        if let Some(heritage) = &it.heritage {
            let callee = self.expression(&heritage.expression, UNKNOWN);
            let types = self.type_arguments(heritage.type_arguments.as_deref());
            let arguments = self.list(&[]);
            bases.push(self.shape(Shape::New { callee, arguments, types }));
        }
        for implemented in &it.implements {
            let base =
                self.type_name(&implemented.expression, implemented.type_arguments.as_deref());
            bases.push(base);
        }
        let bases = self.list(&bases);
        self.edit(item, |it| it.bases = bases);
    }

    fn class_element(&mut self, element: &ClassElement<'_>, class: u32, members: &mut Vec<u32>) {
        match element {
            ClassElement::StaticBlock(it) => {
                self.hidden(|walker| walker.scoped(true, |walker| walker.statements(&it.body)));
            }
            ClassElement::MethodDefinition(it) => self.class_method(it, class, members),
            ClassElement::PropertyDefinition(it) => {
                for decorator in &it.decorators {
                    self.expression(&decorator.expression, UNKNOWN);
                }
                let written = it.type_annotation.as_deref();
                let made = self.field(&it.key, it.span, written, it.value.as_ref());
                if it.r#static {
                    self.edit(made, |it| it.flags.0 |= Flags::STATIC);
                }
                members.push(made);
            }
            ClassElement::AccessorProperty(it) => {
                let written = it.type_annotation.as_deref();
                let made = self.field(&it.key, it.span, written, it.value.as_ref());
                if it.r#static {
                    self.edit(made, |it| it.flags.0 |= Flags::STATIC);
                }
                members.push(made);
            }
            ClassElement::TSIndexSignature(it) => members.push(self.index_signature(it)),
        }
    }

    fn field(
        &mut self,
        key: &PropertyKey<'_>,
        span: OxcSpan,
        written: Option<&oxc_ast::ast::TSTypeAnnotation<'_>>,
        value: Option<&Expression<'_>>,
    ) -> u32 {
        let name = self.key(key).map(|(name, _)| name);
        let name = name.unwrap_or_else(|| self.name(""));
        let item = self.member_item(DeclarationKind::Property, name, span);
        let body = value.map(|value| self.body_of(value)).unwrap_or_default();
        let shape = self.within(item, |walker| {
            let annotated = walker.annotation(written);
            let found = value.map_or(UNKNOWN, |value| walker.expression(value, annotated));
            if annotated == UNKNOWN { found } else { annotated }
        });
        self.edit(item, |it| (it.shape, it.body) = (shape, body));
        item
    }

    fn class_method(&mut self, it: &MethodDefinition<'_>, class: u32, members: &mut Vec<u32>) {
        for decorator in &it.decorators {
            self.expression(&decorator.expression, UNKNOWN);
        }
        let kind = match it.kind {
            MethodDefinitionKind::Constructor => DeclarationKind::Constructor,
            MethodDefinitionKind::Method => DeclarationKind::Method,
            MethodDefinitionKind::Get => DeclarationKind::Getter,
            MethodDefinitionKind::Set => DeclarationKind::Setter,
        };
        let name = self.key(&it.key).map(|(name, _)| name);
        let name = name.unwrap_or_else(|| self.name(""));
        let item = self.member_item(kind, name, it.span);
        members.push(item);
        let this = if it.r#static { class } else { self.this };
        self.method(item, &it.value, this, UNKNOWN, it.r#static);
        self.as_property(item, kind);
        if it.kind == MethodDefinitionKind::Constructor {
            self.parameter_fields(item, it, members);
        }
    }

    /// Adds the constructor parameters that are also fields.
    fn parameter_fields(&mut self, item: u32, it: &MethodDefinition<'_>, members: &mut Vec<u32>) {
        let shape = self.facts.item(item).map_or(UNKNOWN, |it| it.shape);
        let takes = match self.facts.shape(shape) {
            Shape::Function { signature } => {
                self.facts.signatures.get(signature as usize).map(|it| it.takes)
            }
            _ => None,
        };
        let takes = self.facts.list(takes.unwrap_or_default()).to_vec();
        for (parameter, shape) in it.value.params.items.iter().zip(takes) {
            let is_field =
                parameter.accessibility.is_some() || parameter.readonly || parameter.r#override;
            let Some(name) = parameter.pattern.get_identifier_name().filter(|_| is_field) else {
                continue;
            };
            let name = self.name(name.as_str());
            let field = self.member_item(DeclarationKind::Property, name, parameter.span);
            self.edit(field, |it| it.shape = shape);
            members.push(field);
        }
    }

    /// An object literal with an expected type.
    pub(super) fn object(&mut self, it: &ObjectExpression<'_>, expected: u32) -> u32 {
        let shape = self.shape(Shape::Unknown);
        let around = std::mem::replace(&mut self.this, shape);
        let (mut members, mut spreads) = (Vec::new(), Vec::new());
        let whole = expected;
        let expected = self.told_apart(it, whole);
        for property in &it.properties {
            match property {
                ObjectPropertyKind::ObjectProperty(it) => {
                    self.property(it, (whole, expected), around, &mut members);
                }
                ObjectPropertyKind::SpreadProperty(it) => {
                    let around = std::mem::replace(&mut self.this, around);
                    let spread = self.hidden(|walker| walker.expression(&it.argument, expected));
                    self.this = around;
                    if spread != UNKNOWN {
                        spreads.push(spread);
                    }
                }
            }
        }
        self.this = around;
        let (members, spreads) = (self.list(&members), self.list(&spreads));
        if let Some(slot) = self.facts.shapes.get_mut(shape as usize) {
            *slot = Shape::Object { members, spreads };
        }
        shape
    }

    /// What a literal is of a choice, by those of its members that have one value: `{ kind: 'a' }`.
    fn told_apart(&mut self, it: &ObjectExpression<'_>, expected: u32) -> u32 {
        const MOST: usize = 2;
        let (mut value, mut left) = (expected, MOST);
        for property in it.properties.iter().filter(|_| expected > super::PLAIN) {
            if let ObjectPropertyKind::ObjectProperty(it) = property
                && left > 0
                && let PropertyKey::StaticIdentifier(key) = &it.key
                && let Some(test) = self.constant(&it.value)
            {
                left -= 1;
                let (member, test) = (self.name(&key.name), Test::Equals(test));
                value = self.shape(Shape::Narrowed { value, member, test, holds: true });
            }
        }
        value
    }

    /// A member of a literal. Of what is expected there is all of a choice, and what the literal is of it.
    fn property(
        &mut self,
        it: &ObjectProperty<'_>,
        (whole, expected): (u32, u32),
        this: u32,
        members: &mut Vec<u32>,
    ) {
        let key = self.key(&it.key);
        let (name, at) = key.unwrap_or_else(|| (self.name(""), NONE));
        let kind = match it.kind {
            PropertyKind::Get => DeclarationKind::Getter,
            PropertyKind::Set => DeclarationKind::Setter,
            PropertyKind::Init if it.method => DeclarationKind::Method,
            PropertyKind::Init => DeclarationKind::Property,
        };
        if at != NONE && expected > super::PLAIN {
            // A member that tells alternatives apart is one of each.
            let is_same = it.method || self.constant(&it.value).is_none();
            self.refer(name, at, Usage::Given, if is_same { expected } else { whole });
        }
        let item = self.member_item(kind, name, it.span);
        let expected = if key.is_some() { self.member(expected, name) } else { UNKNOWN };
        match &it.value {
            Expression::FunctionExpression(function) if kind != DeclarationKind::Property => {
                self.method(item, function, self.this, expected, false);
                self.as_property(item, kind);
            }
            value => {
                let body = self.body_of(value);
                let object = std::mem::replace(&mut self.this, this);
                let shape = self.within(item, |walker| walker.expression(value, expected));
                self.this = object;
                self.edit(item, |it| (it.shape, it.body) = (shape, body));
            }
        }
        members.push(item);
    }
}
