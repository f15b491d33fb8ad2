//! Reads imports and exports.

use oxc_ast::ast::{
    AssignmentTarget, ExportDefaultDeclarationKind, Expression, ImportDeclaration,
    ImportDeclarationSpecifier, ModuleDeclaration, ModuleExportName, ObjectExpression,
    ObjectPropertyKind, TSImportEqualsDeclaration, TSModuleReference,
};
use portolan_types::declarations::{
    Binding, DeclarationKind, Export, Exported, Flags, Imported, NONE, Shape, WHOLE,
};

use super::expressions::{is_module_exports, required_specifier};
use super::scope::Space;
use super::{UNKNOWN, Walker, unbound};

impl Walker {
    pub(super) fn module_declaration(&mut self, it: &ModuleDeclaration<'_>) {
        match it {
            ModuleDeclaration::ImportDeclaration(it) => self.import(it),
            ModuleDeclaration::ExportAllDeclaration(it) => {
                let specifier = self.name(&it.source.value);
                match &it.exported {
                    None => self.facts.stars.push(specifier),
                    Some(exported) => {
                        let name = self.exported_name(exported);
                        let at = it.span.start;
                        self.export(name, Export::From { specifier, name: NONE, at });
                    }
                }
            }
            ModuleDeclaration::ExportFromDeclaration(it) => {
                let specifier = self.name(&it.source.value);
                for one in &it.specifiers {
                    let original = self.exported_name(&one.local);
                    let name = self.exported_name(&one.exported);
                    let at = one.span.start;
                    self.export(name, Export::From { specifier, name: original, at });
                }
            }
            ModuleDeclaration::ExportNamedDeclaration(it) => {
                for one in &it.specifiers {
                    let local = self.exported_name(&one.local);
                    let name = self.exported_name(&one.exported);
                    let place = self.facts.exports.len() as u32;
                    self.export(name, Export::Binding(NONE));
                    self.scopes.ask_export(local, place);
                }
            }
            ModuleDeclaration::ExportDeclaration(it) => {
                let (items, bindings) = (self.facts.items.len(), self.facts.bindings.len());
                let first = self.declaration(&it.declaration, it.span);
                self.export_new(first, items, bindings);
            }
            ModuleDeclaration::ExportDefaultDeclaration(it) => {
                self.export_default(&it.declaration, it.span);
            }
            ModuleDeclaration::TSExportAssignment(it) => {
                let name = self.name("default");
                let item = self.item(DeclarationKind::Default, name, it.span);
                let shape = self.within(item, |walker| walker.expression(&it.expression, UNKNOWN));
                self.edit(item, |it| it.shape = shape);
                self.export(name, Export::Item(item));
                let whole = self.name("export=");
                self.export(whole, Export::Item(item));
            }
            ModuleDeclaration::TSNamespaceExportDeclaration(_) => {}
        }
    }

    fn export(&mut self, name: u32, what: Export) {
        if self.parent == NONE {
            self.facts.exports.push(Exported { name, what });
        }
    }

    /// Exports what a statement has declared: everything after these lengths of the lists.
    fn export_new(&mut self, first: u32, items: usize, bindings: usize) {
        let parent = self.parent;
        let mut found: Vec<u32> = (items as u32..self.facts.items.len() as u32)
            .filter(|item| self.facts.item(*item).is_some_and(|it| it.parent == parent))
            .collect();
        if first != NONE && !found.contains(&first) {
            found.push(first);
        }
        for item in &found {
            self.edit(*item, |it| it.flags.0 |= Flags::EXPORTED);
        }
        // A merged declaration shares the binding of the first one, which is already exported.
        for binding in bindings as u32..self.facts.bindings.len() as u32 {
            let known = self.facts.bindings.get(binding as usize);
            let Some((name, item)) = known.map(|it| (it.name, it.item)) else { continue };
            if found.contains(&item) {
                self.export(name, Export::Binding(binding));
            }
        }
        for item in found {
            let name = self.facts.item(item).map_or(NONE, |it| it.name);
            let is_known = self.facts.exports.iter().rev().any(|export| export.name == name);
            if !is_known && name != NONE && !self.facts.name(name).is_empty() {
                self.export(name, Export::Item(item));
            }
        }
    }

    fn export_default(&mut self, it: &ExportDefaultDeclarationKind<'_>, span: oxc_span::Span) {
        let name = self.name("default");
        let item = match it {
            ExportDefaultDeclarationKind::FunctionDeclaration(it) => self.function_item(it, span),
            ExportDefaultDeclarationKind::ClassDeclaration(it) => self.class_item(it, span),
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(it) => {
                self.interface_item(it, span)
            }
            _ => {
                let item = self.item(DeclarationKind::Default, name, span);
                if let Some(value) = it.as_expression() {
                    let body = self.body_of(value);
                    let shape = self.within(item, |walker| walker.expression(value, UNKNOWN));
                    self.edit(item, |it| (it.shape, it.body) = (shape, body));
                    if let Shape::Object { members, .. } = self.facts.shape(shape) {
                        self.edit(item, |it| it.members = members);
                    }
                }
                item
            }
        };
        self.edit(item, |it| it.flags.0 |= Flags::EXPORTED);
        self.export(name, Export::Item(item));
    }

    fn exported_name(&mut self, name: &ModuleExportName<'_>) -> u32 {
        let text = match name {
            ModuleExportName::IdentifierName(it) => it.name.as_str(),
            ModuleExportName::IdentifierReference(it) => it.name.as_str(),
            ModuleExportName::StringLiteral(it) => it.value.as_str(),
        };
        self.name(text)
    }

    fn import(&mut self, it: &ImportDeclaration<'_>) {
        let specifier = self.name(&it.source.value);
        for one in it.specifiers.iter().flatten() {
            let (local, name) = match one {
                ImportDeclarationSpecifier::ImportSpecifier(it) => {
                    (it.local.name, self.exported_name(&it.imported))
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(it) => {
                    (it.local.name, self.name("default"))
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(it) => (it.local.name, NONE),
            };
            self.imported(&local, Imported { specifier, name, is_required: false });
        }
    }

    fn imported(&mut self, local: &str, imported: Imported) {
        let import = self.facts.imports.len() as u32;
        self.facts.imports.push(imported);
        let name = self.name(local);
        self.bind(name, Space::Both, Binding { import, ..unbound(name) });
    }

    pub(super) fn import_equals(&mut self, it: &TSImportEqualsDeclaration<'_>) {
        let local = it.id.name.as_str();
        match &it.module_reference {
            TSModuleReference::ExternalModuleReference(source) => {
                let specifier = self.name(&source.expression.value);
                let name = self.name("export=");
                self.imported(local, Imported { specifier, name, is_required: true });
            }
            TSModuleReference::IdentifierReference(it) => {
                let shape = self.value_name(&it.name, it.span.start);
                let name = self.name(local);
                self.bind(name, Space::Both, Binding { shape, ..unbound(name) });
            }
            TSModuleReference::QualifiedName(it) => {
                let shape = self.qualified_value(it);
                let name = self.name(local);
                self.bind(name, Space::Both, Binding { shape, ..unbound(name) });
            }
        }
    }

    /// Reads `module.exports = x`, `exports.x = y` and `module.exports.x = y`. Returns false for
    /// anything else.
    pub(super) fn commonjs_export(&mut self, expression: &Expression<'_>, item: u32) -> bool {
        let (mut names, mut value) = (Vec::new(), expression);
        // `exports.a = exports.b = x` exports it twice.
        while let Expression::AssignmentExpression(it) = value
            && let Some(name) = exported_as(&it.left)
        {
            names.push(self.name(name));
            value = &it.right;
        }
        let Some(name) = names.first().copied() else { return false };
        let body = self.body_of(value);
        let shape = self.expression(value, UNKNOWN);
        self.edit(item, |item| {
            (item.name, item.kind, item.body) = (name, DeclarationKind::Variable, body);
            item.flags.0 |= Flags::EXPORTED;
            item.shape = shape;
        });
        if let Shape::Object { members, .. } = self.facts.shape(shape) {
            self.edit(item, |item| item.members = members);
        }
        for name in names {
            let is_whole = self.facts.name(name) == WHOLE;
            self.commonjs_value(name, value, item);
            if is_whole && let Expression::ObjectExpression(object) = value {
                self.commonjs_members(object, shape);
            }
        }
        true
    }

    /// Exports a value under a name: the target of an identifier, or the declaration of the value.
    fn commonjs_value(&mut self, name: u32, value: &Expression<'_>, item: u32) {
        let place = self.facts.exports.len() as u32;
        self.facts.exports.push(Exported { name, what: Export::Item(item) });
        if let Expression::Identifier(it) = value {
            let local = self.name(&it.name);
            self.scopes.ask_export(local, place);
        }
    }

    /// Exports the members of `module.exports = { … }`.
    fn commonjs_members(&mut self, object: &ObjectExpression<'_>, shape: u32) {
        let Shape::Object { members, .. } = self.facts.shape(shape) else { return };
        let mut members = self.facts.list(members).to_vec().into_iter();
        for property in &object.properties {
            match property {
                ObjectPropertyKind::ObjectProperty(it) => {
                    let Some(member) = members.next() else { return };
                    let name = self.facts.item(member).map_or(NONE, |it| it.name);
                    if !self.facts.name(name).is_empty() {
                        self.commonjs_value(name, &it.value, member);
                    }
                }
                ObjectPropertyKind::SpreadProperty(it) => {
                    if let Expression::CallExpression(call) = &it.argument
                        && let Some(specifier) = required_specifier(call)
                    {
                        let specifier = self.name(specifier);
                        self.facts.stars.push(specifier);
                    }
                }
            }
        }
    }

    /// Adds `Name.member = value` to the declaration of `Name`.
    pub(super) fn assigned_member(&mut self, expression: &Expression<'_>, item: u32, shape: u32) {
        let Expression::AssignmentExpression(it) = expression else { return };
        let AssignmentTarget::StaticMemberExpression(target) = &it.left else { return };
        let Expression::Identifier(owner) = &target.object else { return };
        let (owner, name) = (self.name(&owner.name), self.name(&target.property.name));
        self.edit(item, |item| {
            (item.name, item.kind, item.shape) = (name, DeclarationKind::Property, shape);
        });
        self.assigned.push((owner, item));
    }

    /// Merges the assigned members with their owners, after all names are known.
    pub(super) fn merge_assigned(&mut self) {
        for (owner, item) in std::mem::take(&mut self.assigned) {
            let known = self.scopes.own(owner, Space::Value);
            let first = known.and_then(|known| self.facts.bindings.get(known as usize));
            let first = first.map_or(NONE, |it| it.item);
            let takes = self
                .facts
                .item(first)
                .is_some_and(|it| matches!(self.facts.shape(it.shape), Shape::Function { .. }));
            if takes {
                self.merge(first, item);
            }
        }
    }
}

/// The name under which an assignment to this target exports a value.
fn exported_as<'t>(target: &'t AssignmentTarget<'_>) -> Option<&'t str> {
    match target {
        AssignmentTarget::AssignmentTargetIdentifier(it) => {
            // `exports = module.exports = x`.
            (it.name == "exports").then_some(WHOLE)
        }
        AssignmentTarget::StaticMemberExpression(it) if is_module_exports(it) => Some(WHOLE),
        AssignmentTarget::StaticMemberExpression(it) => {
            let is_exports = match &it.object {
                Expression::StaticMemberExpression(it) => is_module_exports(it),
                object => object.is_specific_id("exports"),
            };
            is_exports.then(|| it.property.name.as_str())
        }
        _ => None,
    }
}
