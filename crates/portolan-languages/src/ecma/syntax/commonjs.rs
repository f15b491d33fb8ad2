//! Records the exports of CommonJS modules, as far as they are plain.
//!
//! Assignments to `exports` and `module.exports` count at the top level and in its blocks (`if`,
//! `try`). Exports in functions, in loops or with computed names are not found.

use std::borrow::Cow;
use std::collections::BTreeMap;

use oxc_ast::ast::{
    Argument, ArrowFunctionBody, AssignmentTarget, BindingPattern, CallExpression, Expression,
    FunctionBody, ObjectExpression, ObjectPropertyKind, PropertyKey, Statement,
    VariableDeclaration,
};
use oxc_span::GetSpan;
use portolan_types::EdgeKind;

use crate::Forwarded;
use crate::ecma::syntax::import_form::EcmaImportForm;
use crate::ecma::syntax::literal;
use crate::ecma::syntax::recorder::{ImportId, Recorder};

/// Records the exports of a file that is not an ECMAScript module.
pub(crate) fn record(body: &[Statement<'_>], recorder: &mut Recorder) {
    let mut exports = Exports { recorder, bindings: BTreeMap::new() };
    // A work list instead of recursion, because the input decides how deep blocks nest.
    let mut pending: Vec<&Statement<'_>> = body.iter().rev().collect();
    while let Some(statement) = pending.pop() {
        match statement {
            Statement::ExpressionStatement(statement) => {
                exports.record_expression(&statement.expression);
            }
            Statement::VariableDeclaration(variables) => exports.bind(variables),
            Statement::BlockStatement(block) => pending.extend(block.body.iter().rev()),
            Statement::IfStatement(branch) => {
                pending.extend(branch.alternate.iter());
                pending.push(&branch.consequent);
            }
            Statement::TryStatement(attempt) => pending.extend(attempt.block.body.iter().rev()),
            _ => {}
        }
    }
}

/// Calls `found` for each plain property name of an object literal.
pub(crate) fn each_key<'e>(object: &'e ObjectExpression<'_>, found: &mut dyn FnMut(&'e str)) {
    for property in &object.properties {
        if let ObjectPropertyKind::ObjectProperty(property) = property
            && let Some(name) = key_name(&property.key)
        {
            found(name);
        }
    }
}

struct Exports<'m> {
    recorder: &'m mut Recorder,
    /// The variables that hold a module or one of its exports.
    bindings: BTreeMap<&'m str, (ImportId, Forwarded)>,
}

impl<'m> Exports<'m> {
    /// `const a = require('x')`, `const { b: c } = require('x')`.
    fn bind(&mut self, variables: &'m VariableDeclaration<'_>) {
        for declarator in &variables.declarations {
            let Some(init) = &declarator.init else { continue };
            if let Expression::AssignmentExpression(_) = init {
                self.record_expression(init);
            }
            let Some((id, target)) = self.source_of(init) else { continue };
            match &declarator.id {
                BindingPattern::BindingIdentifier(identifier) => {
                    self.bindings.insert(identifier.name.as_str(), (id, target));
                }
                BindingPattern::ObjectPattern(pattern) if target == Forwarded::Namespace => {
                    for property in &pattern.properties {
                        if let Some(name) = key_name(&property.key)
                            && let BindingPattern::BindingIdentifier(local) = &property.value
                        {
                            self.bindings
                                .insert(local.name.as_str(), (id, Forwarded::Name(name.into())));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn record_expression(&mut self, expression: &'m Expression<'_>) {
        let mut targets = Vec::new();
        let mut value = expression;
        while let Expression::AssignmentExpression(assignment) = value {
            targets.push(&assignment.left);
            value = &assignment.right;
        }
        for target in targets {
            match export_target(target) {
                Some(ExportTarget::Module) => self.record_module(value),
                Some(ExportTarget::Name(name)) => self.record_name(&name, value),
                None => {}
            }
        }
        match value {
            Expression::CallExpression(call) => self.record_call(call),
            Expression::SequenceExpression(sequence) => {
                for expression in &sequence.expressions {
                    if !matches!(expression, Expression::SequenceExpression(_)) {
                        self.record_expression(expression);
                    }
                }
            }
            _ => {}
        }
    }

    /// `exports.name = value`.
    fn record_name(&mut self, name: &str, value: &'m Expression<'_>) {
        self.recorder.set_statement(value.span());
        match self.source_of(value) {
            Some((id, target)) => self.recorder.forward(name, id, target),
            None => self.recorder.define(name),
        }
    }

    /// `module.exports = value`.
    fn record_module(&mut self, value: &'m Expression<'_>) {
        self.recorder.set_statement(value.span());
        match self.source_of(value) {
            Some((id, Forwarded::Namespace)) => {
                self.recorder.reexport_all(value.span().start, id);
                return self.recorder.forward("default", id, Forwarded::Name("default".into()));
            }
            Some((id, target)) => return self.recorder.forward("default", id, target),
            None => self.recorder.define("default"),
        }
        let Expression::ObjectExpression(object) = value else { return };
        for property in &object.properties {
            match property {
                ObjectPropertyKind::ObjectProperty(property) => {
                    if let Some(name) = key_name(&property.key) {
                        self.record_name(name, &property.value);
                    }
                }
                ObjectPropertyKind::SpreadProperty(spread) => {
                    if let Some((id, Forwarded::Namespace)) = self.source_of(&spread.argument) {
                        self.recorder.reexport_all(spread.span.start, id);
                    }
                }
            }
        }
    }

    /// `Object.defineProperty(exports, 'x', …)` and `__exportStar(require('./x'), exports)`.
    fn record_call(&mut self, call: &'m CallExpression<'_>) {
        match (callee_name(&call.callee), call.arguments.as_slice()) {
            (Some("defineProperty"), [target, name, rest @ ..]) if is_exports_argument(target) => {
                let Some(name) = literal::of_argument(name) else { return };
                if name == "__esModule" {
                    return;
                }
                self.recorder.set_statement(call.span);
                match rest.first().and_then(Argument::as_expression).and_then(getter_value) {
                    Some(value) => self.record_name(&name, value),
                    None => self.recorder.define(&name),
                }
            }
            (Some("__exportStar" | "__export"), [module, rest @ ..])
                if rest.iter().all(is_exports_argument) =>
            {
                if let Some((id, Forwarded::Namespace)) =
                    module.as_expression().and_then(|module| self.source_of(module))
                {
                    self.recorder.reexport_all(call.span.start, id);
                }
            }
            _ => {}
        }
    }

    /// The module, or the export of one, that an expression stands for.
    fn source_of(&mut self, expression: &'m Expression<'_>) -> Option<(ImportId, Forwarded)> {
        match expression {
            Expression::CallExpression(call) => {
                self.required(call).map(|id| (id, Forwarded::Namespace))
            }
            Expression::Identifier(identifier) => {
                self.bindings.get(identifier.name.as_str()).cloned()
            }
            Expression::StaticMemberExpression(member) => {
                let id = match &member.object {
                    Expression::CallExpression(call) => self.required(call)?,
                    Expression::Identifier(identifier) => {
                        match self.bindings.get(identifier.name.as_str())? {
                            (id, Forwarded::Namespace) => *id,
                            (_, Forwarded::Name(_)) => return None,
                        }
                    }
                    _ => return None,
                };
                Some((id, Forwarded::Name(member.property.name.as_str().into())))
            }
            _ => None,
        }
    }

    fn required(&mut self, call: &CallExpression<'_>) -> Option<ImportId> {
        let Expression::Identifier(callee) = &call.callee else { return None };
        if callee.name != "require" {
            return None;
        }
        let specifier = call.arguments.first().and_then(literal::of_argument)?;
        Some(self.recorder.import(
            call.span,
            &specifier,
            EdgeKind::Runtime,
            EcmaImportForm::Require,
        ))
    }
}

enum ExportTarget<'e> {
    /// `module.exports`
    Module,
    /// `exports.name`, `module.exports.name`
    Name(Cow<'e, str>),
}

fn export_target<'e>(target: &'e AssignmentTarget<'_>) -> Option<ExportTarget<'e>> {
    match target {
        AssignmentTarget::StaticMemberExpression(member) => {
            let name = member.property.name.as_str();
            if is_exports(&member.object) {
                return Some(ExportTarget::Name(Cow::Borrowed(name)));
            }
            (is_identifier(&member.object, "module") && name == "exports")
                .then_some(ExportTarget::Module)
        }
        AssignmentTarget::ComputedMemberExpression(member) if is_exports(&member.object) => {
            literal::of_expression(&member.expression).map(ExportTarget::Name)
        }
        _ => None,
    }
}

/// `exports` or `module.exports`.
fn is_exports(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::StaticMemberExpression(member) => {
            member.property.name == "exports" && is_identifier(&member.object, "module")
        }
        _ => is_identifier(expression, "exports"),
    }
}

fn is_exports_argument(argument: &Argument<'_>) -> bool {
    argument.as_expression().is_some_and(is_exports)
}

fn is_identifier(expression: &Expression<'_>, name: &str) -> bool {
    matches!(expression, Expression::Identifier(identifier) if identifier.name == name)
}

/// The last name of a callee: `f` of `f()`, `a.f()` and `(0, a.f)()`.
fn callee_name<'e>(callee: &'e Expression<'_>) -> Option<&'e str> {
    match callee.get_inner_expression() {
        Expression::Identifier(identifier) => Some(identifier.name.as_str()),
        Expression::StaticMemberExpression(member) => Some(member.property.name.as_str()),
        Expression::SequenceExpression(sequence) => match sequence.expressions.last()? {
            Expression::StaticMemberExpression(member) => Some(member.property.name.as_str()),
            _ => None,
        },
        _ => None,
    }
}

/// The value that the getter of a property descriptor returns.
fn getter_value<'e, 'a>(descriptor: &'e Expression<'a>) -> Option<&'e Expression<'a>> {
    let Expression::ObjectExpression(object) = descriptor else { return None };
    object.properties.iter().find_map(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) if key_name(&property.key) == Some("get") => {
            match &property.value {
                Expression::FunctionExpression(function) => {
                    function.body.as_ref().and_then(|body| returned(body))
                }
                Expression::ArrowFunctionExpression(arrow) => match &arrow.body {
                    ArrowFunctionBody::FunctionBody(body) => returned(body),
                    body => body.as_expression(),
                },
                _ => None,
            }
        }
        _ => None,
    })
}

fn returned<'e, 'a>(body: &'e FunctionBody<'a>) -> Option<&'e Expression<'a>> {
    match body.statements.as_slice() {
        [Statement::ReturnStatement(statement)] => statement.argument.as_ref(),
        _ => None,
    }
}

fn key_name<'e>(key: &'e PropertyKey<'_>) -> Option<&'e str> {
    match key {
        PropertyKey::StaticIdentifier(identifier) => Some(identifier.name.as_str()),
        PropertyKey::StringLiteral(literal) => Some(literal.value.as_str()),
        _ => None,
    }
}
