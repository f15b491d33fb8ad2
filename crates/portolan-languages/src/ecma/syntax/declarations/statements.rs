//! Walks statements and the declarations among them.

use oxc_ast::ast::{
    Declaration as OxcDeclaration, Expression, ForStatementInit, ForStatementLeft, Statement,
    SwitchStatement, TSEnumDeclaration, TSEnumMemberName, TSGlobalDeclaration, TSModuleBlock,
    TSNamespaceDeclaration, TSNamespaceDeclarationBody, VariableDeclaration,
    VariableDeclarationKind, VariableDeclarator,
};
use oxc_span::{GetSpan, Span as OxcSpan};
use portolan_types::declarations::{DeclarationKind, Flags, NONE, Shape, Span};

use super::narrowing::exits;
use super::scope::Space;
use super::{PLAIN, UNKNOWN, Walker};

/// An expression of so many bytes rarely fits into a line.
const LONGEST_LINE: u32 = 100;

impl Walker {
    /// A statement of a file or a namespace.
    pub(super) fn top_statement(&mut self, statement: &Statement<'_>) {
        if let Some(declaration) = statement.as_declaration() {
            self.declaration(declaration, statement.span());
        } else if let Some(module) = statement.as_module_declaration() {
            self.module_declaration(module);
        } else {
            let name = self.name("");
            let item = self.item(DeclarationKind::Statement, name, statement.span());
            self.within(item, |walker| {
                if let Statement::ExpressionStatement(it) = statement {
                    if !walker.commonjs_export(&it.expression, item) {
                        let shape = walker.expression(&it.expression, UNKNOWN);
                        walker.assigned_member(&it.expression, item, shape);
                    }
                } else {
                    walker.hidden(|walker| walker.statement(statement));
                }
            });
        }
    }

    pub(super) fn statements(&mut self, statements: &[Statement<'_>]) {
        let mut arounds = Vec::new();
        let paths = self.paths.len();
        for (statement, next) in statements.iter().zip(1..) {
            self.statement(statement);
            if let Statement::IfStatement(it) = statement
                && it.alternate.is_none()
                && exits(&it.consequent)
            {
                let rest = statements.get(next..).unwrap_or_default();
                let is_plain =
                    |it: &Statement<'_>| !matches!(it, Statement::FunctionDeclaration(_));
                let narrowed = self.narrowed(&it.test, false);
                // A function may be called before it is declared.
                if !narrowed.is_empty() && rest.iter().all(is_plain) {
                    arounds.push(self.scopes.open(false));
                    self.take_narrowed(narrowed);
                }
            }
        }
        for around in arounds.into_iter().rev() {
            self.scopes.close(around);
        }
        self.paths.truncate(paths);
    }

    /// A statement in a body.
    pub(super) fn statement(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::BlockStatement(block) => {
                self.scoped(false, |walker| walker.statements(&block.body));
            }
            Statement::ExpressionStatement(it) => {
                self.expression(&it.expression, UNKNOWN);
            }
            Statement::IfStatement(it) => {
                self.expression(&it.test, UNKNOWN);
                let narrowed = self.narrowed(&it.test, true);
                self.within_narrowed(narrowed, |walker| walker.statement(&it.consequent));
                if let Some(alternate) = &it.alternate {
                    let narrowed = self.narrowed(&it.test, false);
                    self.within_narrowed(narrowed, |walker| walker.statement(alternate));
                }
            }
            Statement::ReturnStatement(it) => self.return_statement(it.argument.as_ref()),
            Statement::ThrowStatement(it) => {
                self.expression(&it.argument, UNKNOWN);
            }
            Statement::LabeledStatement(it) => self.statement(&it.body),
            Statement::WithStatement(it) => {
                self.expression(&it.object, UNKNOWN);
                self.statement(&it.body);
            }
            Statement::SwitchStatement(_) | Statement::TryStatement(_) => self.branching(statement),
            Statement::DoWhileStatement(_)
            | Statement::WhileStatement(_)
            | Statement::ForStatement(_)
            | Statement::ForInStatement(_)
            | Statement::ForOfStatement(_) => {
                self.scoped(false, |walker| walker.repeating(statement));
            }
            _ => {
                if let Some(declaration) = statement.as_declaration() {
                    self.declaration(declaration, statement.span());
                } else if let Some(module) = statement.as_module_declaration() {
                    self.module_declaration(module);
                }
            }
        }
    }

    fn branching(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::SwitchStatement(it) => {
                let value = self.expression(&it.discriminant, UNKNOWN);
                self.scoped(false, |walker| walker.cases(it, value));
            }
            Statement::TryStatement(it) => {
                self.scoped(false, |walker| walker.statements(&it.block.body));
                if let Some(handler) = &it.handler {
                    self.scoped(false, |walker| {
                        if let Some(parameter) = &handler.param {
                            let annotation = parameter.type_annotation.as_deref();
                            let shape = walker.annotation(annotation);
                            walker.pattern(&parameter.pattern, shape, None);
                        }
                        walker.statements(&handler.body.body);
                    });
                }
                if let Some(finalizer) = &it.finalizer {
                    self.scoped(false, |walker| walker.statements(&finalizer.body));
                }
            }
            _ => {}
        }
    }

    fn cases(&mut self, it: &SwitchStatement<'_>, value: u32) {
        let mut tests = Vec::new();
        for case in &it.cases {
            match &case.test {
                Some(test) => {
                    self.expression(test, value);
                    tests.extend(self.constant(test));
                }
                None => tests.clear(),
            }
            if case.consequent.is_empty() {
                continue;
            }
            let narrowed = self.in_case(&it.discriminant, &tests, &it.cases);
            // What a case declares is in force in the ones after it.
            let declares = case.consequent.iter().any(Statement::is_declaration);
            if narrowed.is_empty() || declares {
                self.statements(&case.consequent);
            } else {
                self.within_narrowed(narrowed, |walker| walker.statements(&case.consequent));
            }
            if case.consequent.last().is_some_and(exits) {
                tests.clear();
            }
        }
    }

    fn repeating(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::DoWhileStatement(it) => {
                self.statement(&it.body);
                self.expression(&it.test, UNKNOWN);
            }
            Statement::WhileStatement(it) => {
                self.expression(&it.test, UNKNOWN);
                let narrowed = self.narrowed(&it.test, true);
                self.within_narrowed(narrowed, |walker| walker.statement(&it.body));
            }
            Statement::ForStatement(it) => {
                match &it.init {
                    Some(ForStatementInit::VariableDeclaration(variables)) => {
                        self.variables(variables, variables.span);
                    }
                    Some(init) => {
                        if let Some(init) = init.as_expression() {
                            self.expression(init, UNKNOWN);
                        }
                    }
                    None => {}
                }
                for part in [&it.test, &it.update].into_iter().flatten() {
                    self.expression(part, UNKNOWN);
                }
                self.statement(&it.body);
            }
            Statement::ForInStatement(it) => {
                self.expression(&it.right, UNKNOWN);
                self.for_left(&it.left, PLAIN);
                self.statement(&it.body);
            }
            Statement::ForOfStatement(it) => {
                let list = self.expression(&it.right, UNKNOWN);
                let element = self.element(list);
                let element =
                    if it.r#await { self.shape(Shape::Awaited { base: element }) } else { element };
                self.for_left(&it.left, element);
                self.statement(&it.body);
            }
            _ => {}
        }
    }

    pub(super) fn element(&mut self, base: u32) -> u32 {
        if base <= PLAIN { base } else { self.shape(Shape::Element { base }) }
    }

    fn for_left(&mut self, left: &ForStatementLeft<'_>, element: u32) {
        if let ForStatementLeft::VariableDeclaration(variables) = left {
            for declarator in &variables.declarations {
                self.pattern(&declarator.id, element, None);
            }
        } else if let Some(target) = left.as_assignment_target() {
            self.assignment_target(target, element);
        }
    }

    /// A declaration. `statement` is the span of its whole statement.
    pub(super) fn declaration(
        &mut self,
        declaration: &OxcDeclaration<'_>,
        statement: OxcSpan,
    ) -> u32 {
        match declaration {
            OxcDeclaration::VariableDeclaration(it) => return self.variables(it, statement),
            OxcDeclaration::FunctionDeclaration(it) => return self.function_item(it, statement),
            OxcDeclaration::ClassDeclaration(it) => return self.class_item(it, statement),
            OxcDeclaration::TSTypeAliasDeclaration(it) => return self.alias_item(it, statement),
            OxcDeclaration::TSInterfaceDeclaration(it) => {
                return self.interface_item(it, statement);
            }
            OxcDeclaration::TSEnumDeclaration(it) => return self.enum_item(it, statement),
            OxcDeclaration::TSExternalModuleDeclaration(it) => {
                let name = self.name(&it.id.value);
                let item = self.item(DeclarationKind::Namespace, name, statement);
                if let Some(body) = &it.body {
                    self.namespace_body(item, body);
                }
            }
            OxcDeclaration::TSNamespaceDeclaration(it) => {
                return self.namespace_item(it, statement);
            }
            OxcDeclaration::TSGlobalDeclaration(it) => self.global(it, statement),
            OxcDeclaration::TSImportEqualsDeclaration(it) => self.import_equals(it),
        }
        NONE
    }

    fn variables(&mut self, variables: &VariableDeclaration<'_>, statement: OxcSpan) -> u32 {
        let is_item = self.opaque == 0;
        let mut first = NONE;
        for declarator in &variables.declarations {
            let at = declarator.span.start;
            let annotated = self.annotation(declarator.type_annotation.as_deref());
            if !is_item && self.local_function(variables, declarator, annotated) {
                continue;
            }
            if !is_item {
                let init = declarator.init.as_ref().map(|init| self.expression(init, annotated));
                let shape = if annotated == UNKNOWN { init.unwrap_or(UNKNOWN) } else { annotated };
                let before = self.facts.bindings.len() as u32;
                self.pattern(&declarator.id, shape, None);
                if variables.kind == VariableDeclarationKind::Var {
                    self.hoist_from(before);
                }
                continue;
            }
            let name = declarator.id.get_identifier_name();
            let name = self.name(name.as_ref().map_or("", |name| name.as_str()));
            let item = self.item(DeclarationKind::Variable, name, statement);
            if first == NONE {
                first = item;
            }
            self.edit(item, |item| item.at += at - statement.start);
            let init = declarator.init.as_ref();
            let value = self.within(item, |walker| {
                init.map_or(UNKNOWN, |init| {
                    let body = walker.body_of(init);
                    walker.edit(item, |item| item.body = body);
                    walker.expression(init, annotated)
                })
            });
            let shape = if annotated == UNKNOWN { value } else { annotated };
            self.edit(item, |item| item.shape = shape);
            // An annotated literal has members of its own, too.
            for shape in [shape, value] {
                if let Shape::Object { members, .. } = self.facts.shape(shape) {
                    self.edit(item, |item| item.members = members);
                    break;
                }
            }
            self.pattern(&declarator.id, shape, Some(item));
        }
        first
    }

    /// A variable of a body whose value is a function: it is declared as a function is. One whose value fits into a line stays
    /// a variable: that line tells of it.
    fn local_function(
        &mut self,
        variables: &VariableDeclaration<'_>,
        declarator: &VariableDeclarator<'_>,
        annotated: u32,
    ) -> bool {
        let (Some(name), Some(init)) = (declarator.id.get_identifier_name(), &declarator.init)
        else {
            return false;
        };
        let value = init.get_inner_expression();
        let is_function = matches!(
            value,
            Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_)
        );
        if !is_function {
            return false;
        }
        let is_only = variables.declarations.len() == 1;
        let span = if is_only { variables.span } else { declarator.span };
        let name = self.name(name.as_str());
        let body = self.body_of(init);
        let is_line = body.is_empty() && value.span().size() < LONGEST_LINE;
        let kind = if is_line { DeclarationKind::Variable } else { DeclarationKind::Function };
        let item = self.item(kind, name, span);
        let at = self.base + declarator.span.start;
        self.edit(item, |item| (item.at, item.body) = (at, body));
        let value = self.within(item, |walker| walker.expression(init, annotated));
        let shape = if annotated == UNKNOWN { value } else { annotated };
        self.edit(item, |item| item.shape = shape);
        let before = self.facts.bindings.len() as u32;
        self.pattern(&declarator.id, shape, Some(item));
        if variables.kind == VariableDeclarationKind::Var {
            self.hoist_from(before);
        }
        true
    }

    fn hoist_from(&mut self, first: u32) {
        for binding in first..self.facts.bindings.len() as u32 {
            let name = self.facts.bindings.get(binding as usize).map_or(NONE, |it| it.name);
            self.scopes.hoist(name, binding);
        }
    }

    /// The part of a variable's value that is not in its signature.
    pub(super) fn body_of(&self, value: &Expression<'_>) -> Span {
        match value.get_inner_expression() {
            Expression::ArrowFunctionExpression(it) => {
                // A short body is shown: it is more useful than its absence.
                let is_short = it.body.as_expression().is_some();
                if is_short { Span::default() } else { self.span(it.body.span()) }
            }
            Expression::FunctionExpression(it) => {
                it.body.as_ref().map(|body| self.span(body.span)).unwrap_or_default()
            }
            Expression::ObjectExpression(it) => self.span(it.span),
            Expression::ClassExpression(it) => self.span(it.body.span),
            _ => Span::default(),
        }
    }

    fn enum_item(&mut self, it: &TSEnumDeclaration<'_>, statement: OxcSpan) -> u32 {
        let name = self.name(&it.id.name);
        let item = self.item(DeclarationKind::Enum, name, statement);
        let shape = self.shape(Shape::Class { item });
        let body = self.span(it.body.span);
        self.bind_item(name, Space::Both, item, shape);
        let mut members = Vec::new();
        // The cases see each other.
        self.within(item, |walker| {
            walker.scoped(false, |walker| {
                for member in &it.body.members {
                    let text = match &member.id {
                        TSEnumMemberName::Identifier(it) => it.name.as_str(),
                        TSEnumMemberName::String(it) | TSEnumMemberName::ComputedString(it) => {
                            it.value.as_str()
                        }
                        TSEnumMemberName::ComputedTemplateString(_) => "",
                    };
                    let name = walker.name(text);
                    let made = walker.member_item(DeclarationKind::EnumMember, name, member.span);
                    walker.edit(made, |it| {
                        it.flags.0 |= Flags::STATIC;
                        it.shape = PLAIN;
                    });
                    if !text.is_empty() {
                        walker.bind_item(name, Space::Value, made, PLAIN);
                    }
                    if let Some(value) = &member.initializer {
                        walker.within(made, |walker| walker.expression(value, UNKNOWN));
                    }
                    members.push(made);
                }
            });
        });
        let members = self.list(&members);
        self.edit(item, |it| (it.shape, it.body, it.members) = (shape, body, members));
        item
    }

    fn namespace_item(&mut self, it: &TSNamespaceDeclaration<'_>, statement: OxcSpan) -> u32 {
        let name = self.name(&it.id.name);
        let item = self.item(DeclarationKind::Namespace, name, statement);
        let shape = self.shape(Shape::Class { item });
        self.edit(item, |it| it.shape = shape);
        self.bind_item(name, Space::Both, item, shape);
        match &it.body {
            TSNamespaceDeclarationBody::TSModuleBlock(block) => self.namespace_body(item, block),
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                let inner = self.within(item, |walker| {
                    walker.scoped(true, |walker| walker.namespace_item(inner, inner.span))
                });
                self.edit(inner, |it| it.flags.0 |= Flags::STATIC);
                let members = self.list(&[inner]);
                self.edit(item, |it| it.members = members);
            }
        }
        item
    }

    fn namespace_body(&mut self, item: u32, block: &TSModuleBlock<'_>) {
        let body = self.span(block.span);
        let first = self.facts.items.len() as u32;
        self.within(item, |walker| {
            walker.scoped(true, |walker| {
                for statement in &block.body {
                    walker.top_statement(statement);
                }
            });
        });
        let last = self.facts.items.len() as u32;
        let own = (first..last)
            .filter(|inner| self.facts.item(*inner).is_some_and(|inner| inner.parent == item));
        let own: Vec<u32> = own.collect();
        for inner in &own {
            self.edit(*inner, |it| it.flags.0 |= Flags::STATIC);
        }
        let members = self.list(&own);
        self.edit(item, |it| (it.body, it.members) = (body, members));
    }

    fn global(&mut self, it: &TSGlobalDeclaration<'_>, statement: OxcSpan) {
        let name = self.name("global");
        let item = self.item(DeclarationKind::Namespace, name, statement);
        self.namespace_body(item, &it.body);
        let members = self.facts.item(item).map(|it| it.members).unwrap_or_default();
        for member in self.facts.list(members).to_vec() {
            self.edit(member, |it| it.flags.0 |= Flags::GLOBAL);
        }
    }
}
