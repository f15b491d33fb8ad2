//! Reads functions: their signatures, scopes and return values.

use oxc_ast::ast::{
    ArrowFunctionExpression, Expression, FormalParameters, Function, FunctionBody, TSThisParameter,
    TSTypeAnnotation, TSTypeParameterDeclaration,
};
use oxc_span::Span as OxcSpan;
use portolan_types::declarations::{DeclarationKind, Flags, List, NONE, Shape, Signature};

use super::scope::Space;
use super::{UNKNOWN, Walker, unbound};

/// The return values of the current function.
#[derive(Debug, Default)]
pub(super) struct Returns {
    /// The expected return type.
    expected: u32,
    found: Vec<u32>,
}

/// The parts that all forms of functions share.
pub(super) struct FunctionParts<'p, 'a> {
    pub(super) parameters: Option<&'p TSTypeParameterDeclaration<'a>>,
    pub(super) this: Option<&'p TSThisParameter<'a>>,
    pub(super) takes: &'p FormalParameters<'a>,
    pub(super) gives: Option<&'p TSTypeAnnotation<'a>>,
    pub(super) is_async: bool,
    pub(super) is_generator: bool,
}

impl<'p, 'a> FunctionParts<'p, 'a> {
    pub(super) fn of(function: &'p Function<'a>) -> Self {
        Self {
            parameters: function.type_parameters.as_deref(),
            this: function.this_param.as_deref(),
            takes: &function.params,
            gives: function.return_type.as_deref(),
            is_async: function.r#async,
            is_generator: function.generator,
        }
    }
}

/// The largest number of return values that are kept. More would not add information.
const MAX_RETURNS: usize = 6;

impl Walker {
    pub(super) fn function_item(&mut self, it: &Function<'_>, statement: OxcSpan) -> u32 {
        let name = it.id.as_ref().map_or("default", |id| id.name.as_str());
        let name = self.name(name);
        let item = self.item(DeclarationKind::Function, name, statement);
        let body = it.body.as_ref().map(|body| self.span(body.span)).unwrap_or_default();
        self.edit(item, |it| it.body = body);
        // The name is bound before the body is walked, because the body may refer to it.
        let binding = self.bind_item(name, Space::Value, item, UNKNOWN);
        let shape = self.within(item, |walker| walker.function(it, UNKNOWN));
        self.edit(item, |it| it.shape = shape);
        if let Some(binding) = self.facts.bindings.get_mut(binding as usize)
            && binding.shape == UNKNOWN
        {
            binding.shape = shape;
        }
        item
    }

    /// A function with an expected type.
    pub(super) fn function(&mut self, it: &Function<'_>, expected: u32) -> u32 {
        let own = it.id.as_ref().filter(|_| it.is_expression());
        self.scoped(true, |walker| {
            let own = own.map(|id| walker.local(&id.name, UNKNOWN));
            let shape = walker.hidden(|walker| {
                walker.callable(&FunctionParts::of(it), expected, |walker| {
                    if let Some(body) = &it.body {
                        walker.function_body(body);
                    }
                })
            });
            if let Some(binding) = own.and_then(|own| walker.facts.bindings.get_mut(own as usize)) {
                binding.shape = shape;
            }
            shape
        })
    }

    pub(super) fn arrow(&mut self, it: &ArrowFunctionExpression<'_>, expected: u32) -> u32 {
        let parts = FunctionParts {
            parameters: it.type_parameters.as_deref(),
            this: None,
            takes: &it.params,
            gives: it.return_type.as_deref(),
            is_async: it.r#async,
            is_generator: false,
        };
        self.hidden(|walker| {
            walker.callable(&parts, expected, |walker| match it.body.as_expression() {
                Some(value) => walker.return_statement(Some(value)),
                None => {
                    if let oxc_ast::ast::ArrowFunctionBody::FunctionBody(body) = &it.body {
                        walker.function_body(body);
                    }
                }
            })
        })
    }

    fn function_body(&mut self, body: &FunctionBody<'_>) {
        self.statements(&body.statements);
    }

    /// Walks a function in its own scope. Returns its shape.
    pub(super) fn callable(
        &mut self,
        parts: &FunctionParts<'_, '_>,
        expected: u32,
        body: impl FnOnce(&mut Self),
    ) -> u32 {
        self.scoped(true, |walker| {
            let parameters = walker.type_parameters(parts.parameters);
            let this = walker.this;
            if let Some(given) = parts.this {
                walker.this = walker.annotation(given.type_annotation.as_deref());
            }
            let (takes, has_rest) = walker.parameters(parts.takes, expected);
            let written = walker.annotation(parts.gives);
            let guards = std::mem::take(&mut walker.guard);
            let returned = walker.expected_return(parts, written, expected);
            walker.returns.push(Returns { expected: returned, found: Vec::new() });
            body(walker);
            let found = walker.returns.pop().map(|it| it.found).unwrap_or_default();
            walker.this = this;
            let gives = if parts.gives.is_some() { written } else { walker.union(&found) };
            walker.signature(Signature {
                parameters,
                takes,
                has_rest,
                gives,
                is_written: parts.gives.is_some(),
                is_async: parts.is_async && parts.gives.is_none(),
                guards,
            })
        })
    }

    pub(super) fn signature(&mut self, signature: Signature) -> u32 {
        self.facts.signatures.push(signature);
        let signature = (self.facts.signatures.len() - 1) as u32;
        self.shape(Shape::Function { signature })
    }

    fn expected_return(
        &mut self,
        parts: &FunctionParts<'_, '_>,
        written: u32,
        expected: u32,
    ) -> u32 {
        let whole = match (parts.gives.is_some(), expected) {
            (true, _) => written,
            (false, UNKNOWN) => UNKNOWN,
            (false, expected) => self.shape(Shape::Returned { function: expected }),
        };
        match whole {
            UNKNOWN => UNKNOWN,
            _ if parts.is_generator => UNKNOWN,
            base if parts.is_async => self.shape(Shape::Awaited { base }),
            base => base,
        }
    }

    /// Declares parameters. Returns their shapes, and whether the last one is a rest parameter.
    pub(super) fn parameters(&mut self, it: &FormalParameters<'_>, expected: u32) -> (List, bool) {
        let mut takes = Vec::with_capacity(it.items.len());
        for (index, parameter) in it.items.iter().enumerate() {
            for decorator in &parameter.decorators {
                self.expression(&decorator.expression, UNKNOWN);
            }
            let mut shape = self.annotation(parameter.type_annotation.as_deref());
            if parameter.type_annotation.is_none() && expected != UNKNOWN {
                shape = self.shape(Shape::Parameter { function: expected, index: index as u32 });
            }
            if let Some(init) = &parameter.initializer {
                let value = self.expression(init, shape);
                shape = if shape == UNKNOWN { value } else { shape };
            }
            self.pattern(&parameter.pattern, shape, None);
            takes.push(shape);
        }
        if let Some(rest) = &it.rest {
            let shape = self.annotation(rest.type_annotation.as_deref());
            self.pattern(&rest.rest.argument, shape, None);
            takes.push(shape);
        }
        (self.list(&takes), it.rest.is_some())
    }

    pub(super) fn return_statement(&mut self, value: Option<&Expression<'_>>) {
        let Some(value) = value else { return };
        let expected = self.returns.last().map_or(UNKNOWN, |it| it.expected);
        let shape = self.expression(value, expected);
        if let Some(returns) = self.returns.last_mut()
            && returns.found.len() < MAX_RETURNS
        {
            returns.found.push(shape);
        }
    }

    /// Declares type parameters.
    pub(super) fn type_parameters(&mut self, it: Option<&TSTypeParameterDeclaration<'_>>) -> List {
        let Some(it) = it else { return List::default() };
        let mut bindings = Vec::with_capacity(it.params.len());
        for parameter in &it.params {
            let name = self.name(&parameter.name.name);
            let binding =
                portolan_types::declarations::Binding { is_parameter: true, ..unbound(name) };
            bindings.push(self.bind(name, Space::Type, binding));
        }
        // A constraint may refer to any of them.
        for (parameter, binding) in it.params.iter().zip(&bindings) {
            let constraint = parameter.constraint.as_ref().map_or(UNKNOWN, |it| self.type_of(it));
            let default = parameter.default.as_ref().map_or(UNKNOWN, |it| self.type_of(it));
            if let Some(binding) = self.facts.bindings.get_mut(*binding as usize) {
                (binding.shape, binding.default) = (constraint, default);
            }
        }
        self.list(&bindings)
    }

    /// Reads a method.
    pub(super) fn method(
        &mut self,
        item: u32,
        function: &Function<'_>,
        this: u32,
        expected: u32,
        is_static: bool,
    ) {
        let body = function.body.as_ref().map(|body| self.span(body.span)).unwrap_or_default();
        let around = std::mem::replace(&mut self.this, this);
        let shape = self.within(item, |walker| walker.function(function, expected));
        self.this = around;
        self.edit(item, |it| {
            (it.body, it.shape) = (body, shape);
            if is_static {
                it.flags.0 |= Flags::STATIC;
            }
        });
    }

    /// Gives a getter or setter the shape of its value.
    pub(super) fn as_property(&mut self, item: u32, kind: DeclarationKind) {
        let shape = self.facts.item(item).map_or(UNKNOWN, |it| it.shape);
        let Shape::Function { signature } = self.facts.shape(shape) else { return };
        let Some(signature) = self.facts.signatures.get(signature as usize).copied() else {
            return;
        };
        let value = match kind {
            DeclarationKind::Getter => signature.gives,
            DeclarationKind::Setter => {
                self.facts.list(signature.takes).first().copied().unwrap_or(UNKNOWN)
            }
            _ => return,
        };
        self.edit(item, |it| it.shape = value);
    }

    /// The enclosing class, if any.
    pub(super) fn class_around(&self) -> Option<u32> {
        (self.class != NONE).then_some(self.class)
    }
}
