//! Walks expressions. Each gets the type that is expected of it, and returns its own shape.

use oxc_ast::ast::{
    Argument, ArrayExpressionElement, CallExpression, ChainElement, Expression, MemberExpression,
    NewExpression, SimpleAssignmentTarget, StaticMemberExpression, TSType,
    TSTypeParameterInstantiation, TemplateLiteral,
};
use portolan_types::declarations::{List, OWN, Shape, Signature, Usage};

use super::narrowing::is_const;
use super::{PLAIN, UNKNOWN, Walker};

impl Walker {
    /// An expression with an expected type.
    pub(super) fn expression(&mut self, expression: &Expression<'_>, expected: u32) -> u32 {
        match expression {
            Expression::Identifier(it) => {
                let shape = self.value_name(&it.name, it.span.start);
                if it.name == "exports" {
                    // A local declaration of that name overrides this when names are resolved.
                    self.own_module(shape);
                }
                shape
            }
            Expression::ThisExpression(_) => self.this,
            Expression::ParenthesizedExpression(it) => self.expression(&it.expression, expected),
            Expression::CallExpression(it) => self.call(it, expected),
            Expression::NewExpression(it) => self.new_expression(it, expected),
            Expression::ObjectExpression(it) => self.object(it, expected),
            Expression::ArrowFunctionExpression(it) => self.arrow(it, expected),
            Expression::FunctionExpression(it) => {
                let around = std::mem::replace(&mut self.this, UNKNOWN);
                let shape = self.function(it, expected);
                self.this = around;
                shape
            }
            Expression::ClassExpression(it) => self.class_expression(it),
            Expression::ChainExpression(it) => match &it.expression {
                ChainElement::CallExpression(it) => self.call(it, expected),
                ChainElement::TSNonNullExpression(it) => self.expression(&it.expression, expected),
                member => member
                    .as_member_expression()
                    .map_or(UNKNOWN, |member| self.member_expression(member)),
            },
            Expression::TSAsExpression(it) => {
                self.cast(&it.expression, &it.type_annotation, expected)
            }
            Expression::TSTypeAssertion(it) => {
                self.cast(&it.expression, &it.type_annotation, expected)
            }
            Expression::TSSatisfiesExpression(it) => {
                let wanted = self.type_of(&it.type_annotation);
                self.expression(&it.expression, wanted)
            }
            Expression::TSNonNullExpression(it) => self.expression(&it.expression, expected),
            Expression::TSInstantiationExpression(it) => {
                self.type_arguments(Some(&it.type_arguments));
                self.expression(&it.expression, expected)
            }
            Expression::Super(_) => match self.class_around() {
                Some(item) => self.shape(Shape::Super { item }),
                None => UNKNOWN,
            },
            _ => {
                if let Some(member) = expression.as_member_expression() {
                    return self.member_expression(member);
                }
                self.hidden(|walker| walker.compound(expression, expected))
            }
        }
    }

    /// Expressions whose content does not appear in an outline.
    fn compound(&mut self, expression: &Expression<'_>, expected: u32) -> u32 {
        match expression {
            Expression::ArrayExpression(it) => self.array(&it.elements, expected),
            Expression::AwaitExpression(it) => {
                let base = self.expression(&it.argument, expected);
                if base <= PLAIN { base } else { self.shape(Shape::Awaited { base }) }
            }
            Expression::AssignmentExpression(it) => {
                let target = self.assignment_target(&it.left, UNKNOWN);
                self.expression(&it.right, target)
            }
            Expression::BinaryExpression(it) => {
                let left = self.expression(&it.left, UNKNOWN);
                self.expression(&it.right, if it.operator.is_equality() { left } else { UNKNOWN });
                PLAIN
            }
            Expression::ConditionalExpression(it) => {
                self.expression(&it.test, UNKNOWN);
                let narrowed = self.narrowed(&it.test, true);
                let then = self.within_narrowed(narrowed, |walker| {
                    walker.expression(&it.consequent, expected)
                });
                let narrowed = self.narrowed(&it.test, false);
                let otherwise = self
                    .within_narrowed(narrowed, |walker| walker.expression(&it.alternate, expected));
                self.union(&[then, otherwise])
            }
            Expression::LogicalExpression(it) => {
                let left = self.expression(&it.left, expected);
                let narrowed = self.narrowed(&it.left, it.operator.is_and());
                let right =
                    self.within_narrowed(narrowed, |walker| walker.expression(&it.right, expected));
                if it.operator.is_and() { right } else { self.union(&[left, right]) }
            }
            Expression::SequenceExpression(it) => {
                let mut last = UNKNOWN;
                for part in &it.expressions {
                    last = self.expression(part, UNKNOWN);
                }
                last
            }
            Expression::UnaryExpression(it) => {
                self.expression(&it.argument, UNKNOWN);
                PLAIN
            }
            Expression::TemplateLiteral(it) => self.template(it),
            _ => self.rare(expression, expected),
        }
    }

    fn rare(&mut self, expression: &Expression<'_>, expected: u32) -> u32 {
        match expression {
            Expression::JSXElement(it) => {
                self.element_expression(it);
                PLAIN
            }
            Expression::JSXFragment(it) => {
                self.children(&it.children, UNKNOWN);
                PLAIN
            }
            Expression::TaggedTemplateExpression(it) => {
                let callee = self.expression(&it.tag, UNKNOWN);
                let types = self.type_arguments(it.type_arguments.as_deref());
                self.template(&it.quasi);
                self.shape(Shape::Call { callee, arguments: List::default(), types })
            }
            Expression::ImportExpression(it) => {
                if let Some(options) = &it.options {
                    self.expression(options, UNKNOWN);
                }
                if let Expression::StringLiteral(source) = &it.source {
                    let specifier = self.name(&source.value);
                    return self.shape(Shape::Module { specifier });
                }
                self.expression(&it.source, UNKNOWN);
                UNKNOWN
            }
            Expression::UpdateExpression(it) => {
                self.simple_target(&it.argument);
                PLAIN
            }
            Expression::YieldExpression(it) => {
                if let Some(value) = &it.argument {
                    self.expression(value, UNKNOWN);
                }
                UNKNOWN
            }
            Expression::PrivateInExpression(it) => {
                self.expression(&it.right, UNKNOWN);
                PLAIN
            }
            Expression::V8IntrinsicExpression(it) => {
                for argument in &it.arguments {
                    if let Some(value) = argument.as_expression() {
                        self.expression(value, expected);
                    }
                }
                UNKNOWN
            }
            // What is nothing at first becomes something later.
            Expression::ImportMeta(_) | Expression::NewTarget(_) | Expression::NullLiteral(_) => {
                UNKNOWN
            }
            _ => PLAIN,
        }
    }

    fn template(&mut self, it: &TemplateLiteral<'_>) -> u32 {
        for part in &it.expressions {
            self.expression(part, UNKNOWN);
        }
        PLAIN
    }

    fn array(&mut self, elements: &[ArrayExpressionElement<'_>], expected: u32) -> u32 {
        let wanted = self.element(expected);
        let mut parts = Vec::new();
        for element in elements {
            match element {
                ArrayExpressionElement::SpreadElement(it) => {
                    let list = self.expression(&it.argument, expected);
                    parts.push(self.element(list));
                }
                ArrayExpressionElement::Elision(_) => {}
                _ => {
                    if let Some(value) = element.as_expression() {
                        parts.push(self.expression(value, wanted));
                    }
                }
            }
        }
        parts.truncate(8);
        let parts = self.list(&parts);
        self.shape(Shape::Tuple { parts })
    }

    fn cast(&mut self, expression: &Expression<'_>, to: &TSType<'_>, expected: u32) -> u32 {
        if is_const(to) {
            return self.expression(expression, expected);
        }
        let wanted = self.type_of(to);
        let value = self.expression(expression, wanted);
        let is_hidden = matches!(to, TSType::TSAnyKeyword(_) | TSType::TSUnknownKeyword(_));
        // A value cast to `any` may be used as anything.
        if wanted == UNKNOWN && !is_hidden { value } else { wanted }
    }

    fn simple_target(&mut self, target: &SimpleAssignmentTarget<'_>) -> u32 {
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(it) => {
                self.value_name(&it.name, it.span.start)
            }
            _ => match (target.get_expression(), target.as_member_expression()) {
                (Some(inner), _) => self.expression(inner, UNKNOWN),
                (None, Some(member)) => self.member_expression(member),
                (None, None) => UNKNOWN,
            },
        }
    }

    pub(super) fn member_expression(&mut self, it: &MemberExpression<'_>) -> u32 {
        let base = self.expression(it.object(), UNKNOWN);
        match it {
            MemberExpression::StaticMemberExpression(it) => {
                let name = self.name(&it.property.name);
                if is_module_exports(it) {
                    let shape = self.shape(Shape::Unknown);
                    self.own_module(shape);
                    return shape;
                }
                self.refer(name, it.property.span.start, Usage::Member, base);
                let known = self.known_member(it);
                known.unwrap_or_else(|| self.member(base, name))
            }
            MemberExpression::PrivateFieldExpression(it) => {
                let name = self.name(&format!("#{}", it.field.name));
                self.refer(name, it.field.span.start, Usage::Member, base);
                self.member(base, name)
            }
            MemberExpression::ComputedMemberExpression(it) => match &it.expression {
                Expression::StringLiteral(key) => {
                    let name = self.name(&key.value);
                    // The name starts after the quote.
                    self.refer(name, key.span.start + 1, Usage::Member, base);
                    self.member(base, name)
                }
                Expression::NumericLiteral(key) => {
                    let place = key.raw.as_ref().and_then(|raw| raw.as_str().parse().ok());
                    match place {
                        Some(place) => self.entry(base, place),
                        None => self.element(base),
                    }
                }
                key => {
                    self.hidden(|walker| walker.expression(key, UNKNOWN));
                    self.element(base)
                }
            },
        }
    }

    fn call(&mut self, it: &CallExpression<'_>, expected: u32) -> u32 {
        if let Some(module) = self.required(it) {
            return module;
        }
        let callee = self.expression(&it.callee, UNKNOWN);
        let types = self.type_arguments(it.type_arguments.as_deref());
        let call = self.shape(Shape::Call { callee, arguments: List::default(), types });
        let mocked = self.mocked(it);
        let arguments = self.arguments(&it.arguments, call, mocked, expected);
        self.named_by_text(it, arguments);
        if let Some(slot) = self.facts.shapes.get_mut(call as usize) {
            *slot = Shape::Call { callee, arguments, types };
        }
        call
    }

    /// A member that a call is given by its name: `vi.spyOn(item, 'name')`, `Reflect.get(item, 'name')`.
    fn named_by_text(&mut self, it: &CallExpression<'_>, arguments: List) {
        let [_, Argument::StringLiteral(name), ..] = it.arguments.as_slice() else { return };
        let Some(MemberExpression::StaticMemberExpression(called)) =
            it.callee.as_member_expression()
        else {
            return;
        };
        let is_of = |object: &str| matches!(&called.object, Expression::Identifier(it) if it.name == object);
        let is_one = match called.property.name.as_str() {
            "spyOn" => true,
            "get" | "set" | "has" | "deleteProperty" => is_of("Reflect"),
            "defineProperty" | "getOwnPropertyDescriptor" | "hasOwn" => {
                is_of("Reflect") || is_of("Object")
            }
            _ => false,
        };
        if let Some(value) = self.facts.list(arguments).first().copied().filter(|_| is_one) {
            let text = self.name(&name.value);
            self.refer(text, name.span.start + 1, Usage::Member, value);
        }
    }

    fn new_expression(&mut self, it: &NewExpression<'_>, expected: u32) -> u32 {
        let callee = self.expression(&it.callee, UNKNOWN);
        let types = self.type_arguments(it.type_arguments.as_deref());
        let call = self.shape(Shape::New { callee, arguments: List::default(), types });
        let arguments = self.arguments(&it.arguments, call, UNKNOWN, expected);
        if let Some(slot) = self.facts.shapes.get_mut(call as usize) {
            *slot = Shape::New { callee, arguments, types };
        }
        // It stands for its first argument.
        let is_proxy = matches!(&it.callee, Expression::Identifier(it) if it.name == "Proxy");
        if let Some(of) = self.facts.list(arguments).first().copied().filter(|_| is_proxy) {
            return of;
        }
        call
    }

    fn arguments(
        &mut self,
        arguments: &[Argument<'_>],
        call: u32,
        mocked: u32,
        wanted: u32,
    ) -> List {
        let mut shapes = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            if let Argument::SpreadElement(it) = argument {
                shapes.push(self.expression(&it.argument, UNKNOWN));
            } else if let Some(value) = argument.as_expression() {
                let expects = matches!(
                    value.get_inner_expression(),
                    Expression::ObjectExpression(_)
                        | Expression::ArrowFunctionExpression(_)
                        | Expression::FunctionExpression(_)
                        | Expression::ArrayExpression(_)
                        | Expression::ConditionalExpression(_)
                        | Expression::LogicalExpression(_)
                );
                let expected = if index == 1 && mocked != UNKNOWN {
                    mocked
                } else if expects {
                    let index = index as u32;
                    self.shape(Shape::Argument { call, index, expected: wanted })
                } else {
                    UNKNOWN
                };
                shapes.push(self.expression(value, expected));
            }
        }
        self.list(&shapes)
    }

    /// `require('x')`.
    fn required(&mut self, it: &CallExpression<'_>) -> Option<u32> {
        let specifier = required_specifier(it).or_else(|| actual_specifier(it))?;
        let specifier = self.name(specifier);
        Some(self.shape(Shape::Module { specifier }))
    }

    /// The expected type of the second argument of `vi.mock('./a', …)` and similar calls: a
    /// function that returns the module.
    fn mocked(&mut self, it: &CallExpression<'_>) -> u32 {
        let Some(("mock" | "doMock", specifier)) = runner_call(it) else { return UNKNOWN };
        let specifier = self.name(specifier);
        let gives = self.shape(Shape::Module { specifier });
        let takes = self.list(&[]);
        self.signature(Signature {
            parameters: List::default(),
            takes,
            has_rest: false,
            gives,
            is_written: true,
            is_async: false,
            guards: UNKNOWN,
        })
    }

    /// Makes a shape the file's own module.
    fn own_module(&mut self, shape: u32) {
        let specifier = self.name(OWN);
        if let Some(slot) = self.facts.shapes.get_mut(shape as usize) {
            *slot = Shape::Module { specifier };
        }
    }

    pub(super) fn type_arguments(&mut self, it: Option<&TSTypeParameterInstantiation<'_>>) -> List {
        let Some(it) = it else { return List::default() };
        let types: Vec<u32> = it.params.iter().map(|it| self.type_of(it)).collect();
        self.list(&types)
    }
}

/// A call of a test runner that names a module, such as `vi.mock('./a')`: the function and the
/// module.
fn runner_call<'c>(it: &'c CallExpression<'_>) -> Option<(&'c str, &'c str)> {
    let Expression::StaticMemberExpression(callee) = &it.callee else { return None };
    let is_runner = ["vi", "jest"].iter().any(|name| callee.object.is_specific_id(name));
    let source = match it.arguments.first()? {
        Argument::StringLiteral(source) => source.value.as_str(),
        // `vi.mock(import('./a'), …)`
        Argument::ImportExpression(import) => match &import.source {
            Expression::StringLiteral(source) => source.value.as_str(),
            _ => return None,
        },
        _ => return None,
    };
    is_runner.then_some((callee.property.name.as_str(), source))
}

/// The specifier in `vi.importActual('x')` and similar calls.
fn actual_specifier<'c>(it: &'c CallExpression<'_>) -> Option<&'c str> {
    let (name, specifier) = runner_call(it)?;
    matches!(
        name,
        "importActual" | "importMock" | "requireActual" | "requireMock" | "createMockFromModule"
    )
    .then_some(specifier)
}

/// The specifier in `require('x')`.
pub(super) fn required_specifier<'c>(it: &'c CallExpression<'_>) -> Option<&'c str> {
    let [Argument::StringLiteral(source)] = it.arguments.as_slice() else { return None };
    it.callee.is_specific_id("require").then(|| source.value.as_str())
}

/// `module.exports`.
pub(super) fn is_module_exports(it: &StaticMemberExpression<'_>) -> bool {
    it.property.name == "exports" && it.object.is_specific_id("module")
}
