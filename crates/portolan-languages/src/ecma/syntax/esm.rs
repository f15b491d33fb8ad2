//! Records the imports and exports of the top-level statements.

use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem;
use oxc_ast::ast::{
    Declaration, ExportAllDeclaration, ExportDefaultDeclaration, ExportDefaultDeclarationKind,
    ExportFromDeclaration, ExportNamedDeclaration, Expression, ImportDeclaration,
    ImportDeclarationSpecifier, ImportOrExportKind, Program, Statement,
    TSExternalModuleDeclaration, TSImportEqualsDeclaration, TSModuleReference,
    TSNamespaceDeclaration, TSNamespaceDeclarationBody,
};
use oxc_span::GetSpan;
use portolan_types::EdgeKind;

use crate::Forwarded;
use crate::ecma::syntax::import_form::EcmaImportForm;
use crate::ecma::syntax::recorder::{ImportId, Recorder};
use crate::ecma::syntax::{commonjs, literal};

/// Records the imports and exports of `program`.
pub(crate) fn record(program: &Program<'_>, recorder: &mut Recorder) {
    if !is_module(&program.body) {
        record_ambient_modules(&program.body, recorder);
        if !program.source_type.is_typescript_definition() {
            commonjs::record(&program.body, recorder);
        }
        return;
    }
    let mut module =
        EsmRecorder { body: &program.body, recorder, bindings: BTreeMap::new(), locals: None };
    module.record_imports();
    module.record_exports();
    if program.source_type.is_typescript_definition() && !has_export_list(&program.body) {
        module.define_all();
    }
}

/// Whether the outline of `text` is enough to know its exports: it must not need the object after
/// `export =`, nor a script's assignments to `exports`.
pub(crate) fn outline_is_enough(outline: &Program<'_>, text: &str) -> bool {
    let assigns = |statement: &Statement<'_>| matches!(statement, Statement::TSExportAssignment(_));
    let mentions = |word: &str| memmem::find(text.as_bytes(), word.as_bytes());
    if is_module(&outline.body) {
        !outline.body.iter().any(assigns)
    } else {
        mentions("exports").or_else(|| mentions("require")).is_none()
    }
}

/// Whether a file has a top-level import or export.
fn is_module(body: &[Statement<'_>]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::TSImportEqualsDeclaration(declaration) => {
            matches!(declaration.module_reference, TSModuleReference::ExternalModuleReference(_))
        }
        _ => statement.is_module_declaration(),
    })
}

/// Whether a declaration file has one of these. Without them, it exports all its declarations.
fn has_export_list(body: &[Statement<'_>]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::ExportNamedDeclaration(_)
        | Statement::ExportFromDeclaration(_)
        | Statement::ExportAllDeclaration(_)
        | Statement::TSExportAssignment(_) => true,
        Statement::ExportDefaultDeclaration(export) => export.declaration.is_expression(),
        _ => false,
    })
}

/// The imports inside `declare module 'x' { … }` of a file that is not a module itself.
fn record_ambient_modules(body: &[Statement<'_>], recorder: &mut Recorder) {
    for statement in body {
        if let Statement::TSExternalModuleDeclaration(module) = statement {
            record_ambient_body(module, recorder);
        }
    }
}

/// The imports inside `declare module 'x' { … }`. All of them are type imports.
fn record_ambient_body(module: &TSExternalModuleDeclaration<'_>, recorder: &mut Recorder) {
    let Some(block) = &module.body else { return };
    for statement in &block.body {
        match statement {
            Statement::ImportDeclaration(import) => {
                let id = recorder.import(
                    import.span,
                    &literal::of_string(&import.source),
                    EdgeKind::Type,
                    EcmaImportForm::Import,
                );
                record_requests(import, id, Some(EdgeKind::Type), recorder);
            }
            Statement::ExportFromDeclaration(export) => {
                let specifier = literal::of_string(&export.source);
                recorder.import(export.span, &specifier, EdgeKind::Type, EcmaImportForm::Import);
            }
            Statement::ExportAllDeclaration(export) => {
                let specifier = literal::of_string(&export.source);
                recorder.import(export.span, &specifier, EdgeKind::Type, EcmaImportForm::Import);
            }
            Statement::TSImportEqualsDeclaration(declaration) => {
                if let TSModuleReference::ExternalModuleReference(reference) =
                    &declaration.module_reference
                {
                    let specifier = literal::of_string(&reference.expression);
                    recorder.import(
                        declaration.span,
                        &specifier,
                        EdgeKind::Type,
                        EcmaImportForm::Require,
                    );
                }
            }
            _ => {}
        }
    }
}

struct EsmRecorder<'m, 'a> {
    body: &'m [Statement<'a>],
    recorder: &'m mut Recorder,
    /// The targets of the imported names.
    bindings: BTreeMap<&'m str, (ImportId, Forwarded)>,
    /// The names declared at the top level, filled on first use.
    locals: Option<BTreeSet<&'m str>>,
}

impl<'m> EsmRecorder<'m, '_> {
    fn record_imports(&mut self) {
        for statement in self.body {
            match statement {
                Statement::ImportDeclaration(import) => self.record_import(import),
                Statement::TSImportEqualsDeclaration(import) => {
                    self.record_import_equals(import);
                }
                Statement::ExportDeclaration(export) => {
                    if let Declaration::TSImportEqualsDeclaration(import) = &export.declaration {
                        self.record_import_equals(import);
                    }
                }
                Statement::TSExternalModuleDeclaration(module) => self.record_augmentation(module),
                _ => {}
            }
        }
    }

    fn record_import(&mut self, import: &'m ImportDeclaration<'_>) {
        let kind = kind_of_import(import);
        let specifier = literal::of_string(&import.source);
        let id = self.recorder.import(import.span, &specifier, kind, EcmaImportForm::Import);
        record_requests(import, id, None, self.recorder);
        for specifier in import.specifiers.iter().flatten() {
            let (local, target) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(named) => {
                    (&named.local, Forwarded::Name(literal::of_name(&named.imported).into()))
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => {
                    (&default.local, Forwarded::Name("default".into()))
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(namespace) => {
                    (&namespace.local, Forwarded::Namespace)
                }
            };
            self.bindings.insert(local.name.as_str(), (id, target));
        }
    }

    fn record_import_equals(&mut self, import: &'m TSImportEqualsDeclaration<'_>) {
        let TSModuleReference::ExternalModuleReference(reference) = &import.module_reference else {
            return;
        };
        let kind = kind_of(import.import_kind);
        let specifier = literal::of_string(&reference.expression);
        let id = self.recorder.import(import.span, &specifier, kind, EcmaImportForm::Require);
        self.bindings.insert(import.id.name.as_str(), (id, Forwarded::Namespace));
    }

    fn record_augmentation(&mut self, module: &'m TSExternalModuleDeclaration<'_>) {
        let specifier = literal::of_string(&module.id);
        let id =
            self.recorder.import(module.span, &specifier, EdgeKind::Type, EcmaImportForm::Import);
        let mut names = Vec::new();
        for statement in module.body.iter().flat_map(|block| &block.body) {
            each_name(statement, &mut |name| names.push(name.into()));
        }
        self.recorder.augment(module.span.start, id, names);
        record_ambient_body(module, self.recorder);
    }

    fn record_exports(&mut self) {
        for statement in self.body {
            self.recorder.set_statement(statement.span());
            match statement {
                Statement::ExportDeclaration(export) => {
                    self.record_declaration(&export.declaration);
                }
                Statement::ExportDefaultDeclaration(_) => self.recorder.define("default"),
                Statement::ExportNamedDeclaration(export) => self.record_export_list(export),
                Statement::ExportFromDeclaration(export) => self.record_export_from(export),
                Statement::ExportAllDeclaration(export) => self.record_export_all(export),
                Statement::TSExportAssignment(export) => {
                    self.record_export_assignment(export.span.start, &export.expression);
                }
                _ => {}
            }
        }
    }

    fn record_declaration(&mut self, declaration: &'m Declaration<'_>) {
        if let Declaration::TSImportEqualsDeclaration(import) = declaration
            && let Some((id, target)) = self.bindings.get(import.id.name.as_str())
        {
            return self.recorder.forward(import.id.name.as_str(), *id, target.clone());
        }
        each_declared(declaration, &mut |name| self.recorder.define(name));
    }

    fn record_export_list(&mut self, export: &'m ExportNamedDeclaration<'_>) {
        for specifier in &export.specifiers {
            let local = literal::of_name(&specifier.local);
            let exported = literal::of_name(&specifier.exported);
            match self.bindings.get(&*local).cloned() {
                Some((id, target)) if !self.is_local(&local) => {
                    self.recorder.forward(&exported, id, target);
                }
                _ => self.recorder.define(&exported),
            }
        }
    }

    fn record_export_from(&mut self, export: &ExportFromDeclaration<'_>) {
        let all_types = !export.specifiers.is_empty()
            && export
                .specifiers
                .iter()
                .all(|specifier| specifier.export_kind == ImportOrExportKind::Type);
        let kind = if all_types { EdgeKind::Type } else { kind_of(export.export_kind) };
        let specifier = literal::of_string(&export.source);
        let id = self.recorder.import(export.span, &specifier, kind, EcmaImportForm::Import);
        for specifier in &export.specifiers {
            let target = Forwarded::Name(literal::of_name(&specifier.local).into());
            self.recorder.forward(&literal::of_name(&specifier.exported), id, target);
        }
    }

    fn record_export_all(&mut self, export: &ExportAllDeclaration<'_>) {
        let specifier = literal::of_string(&export.source);
        let kind = kind_of(export.export_kind);
        let id = self.recorder.import(export.span, &specifier, kind, EcmaImportForm::Import);
        match &export.exported {
            Some(name) => self.recorder.forward(&literal::of_name(name), id, Forwarded::Namespace),
            None => self.recorder.reexport_all(export.span.start, id),
        }
    }

    /// `export = x`: the default export is `x`, and the named exports are the members of `x`.
    fn record_export_assignment(&mut self, offset: u32, expression: &'m Expression<'_>) {
        match expression {
            Expression::Identifier(identifier) => {
                self.record_export_of(offset, identifier.name.as_str());
            }
            Expression::ObjectExpression(object) => {
                self.recorder.define("default");
                commonjs::each_key(object, &mut |name| self.recorder.define(name));
            }
            _ => self.recorder.define("default"),
        }
    }

    fn record_export_of(&mut self, offset: u32, name: &'m str) {
        match self.bindings.get(name).cloned() {
            // `import x = require('s'); export = x` re-exports that module.
            Some((id, Forwarded::Namespace)) if !self.is_local(name) => {
                self.recorder.reexport_all(offset, id);
                self.recorder.forward("default", id, Forwarded::Name("default".into()));
            }
            Some((id, target)) if !self.is_local(name) => {
                self.recorder.forward("default", id, target);
            }
            _ => {
                self.recorder.define("default");
                self.define_members(name);
            }
        }
    }

    /// Defines the members of all namespaces called `name`.
    fn define_members(&mut self, name: &str) {
        for statement in self.body {
            if let Some(namespace) = as_namespace(statement)
                && namespace.id.name == name
            {
                match &namespace.body {
                    TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                        self.recorder.define(inner.id.name.as_str());
                    }
                    TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                        for member in &block.body {
                            each_name(member, &mut |name| self.recorder.define(name));
                        }
                    }
                }
            }
        }
    }

    fn define_all(&mut self) {
        for statement in self.body {
            if let Some(declaration) = statement.as_declaration() {
                self.record_declaration(declaration);
            }
        }
    }

    fn is_local(&mut self, name: &str) -> bool {
        let body = self.body;
        let locals = self.locals.get_or_insert_with(|| {
            let mut locals = BTreeSet::new();
            for statement in body {
                let exported = match statement {
                    Statement::ExportDeclaration(export) => Some(&export.declaration),
                    _ => None,
                };
                if let Some(declaration) = statement.as_declaration().or(exported)
                    && !matches!(declaration, Declaration::TSImportEqualsDeclaration(_))
                {
                    each_declared(declaration, &mut |name| {
                        locals.insert(name);
                    });
                }
            }
            locals
        });
        locals.contains(name)
    }
}

fn as_namespace<'m, 'a>(statement: &'m Statement<'a>) -> Option<&'m TSNamespaceDeclaration<'a>> {
    match statement {
        Statement::TSNamespaceDeclaration(namespace) => Some(namespace),
        Statement::ExportDeclaration(export) => match &export.declaration {
            Declaration::TSNamespaceDeclaration(namespace) => Some(namespace),
            _ => None,
        },
        _ => None,
    }
}

fn kind_of(kind: ImportOrExportKind) -> EdgeKind {
    if kind == ImportOrExportKind::Type { EdgeKind::Type } else { EdgeKind::Runtime }
}

/// A list of only types is a type import. An empty list runs the module.
fn kind_of_import(import: &ImportDeclaration<'_>) -> EdgeKind {
    let Some(specifiers) = &import.specifiers else { return kind_of(import.import_kind) };
    let all_types = !specifiers.is_empty()
        && specifiers.iter().all(|specifier| match specifier {
            ImportDeclarationSpecifier::ImportSpecifier(named) => {
                named.import_kind == ImportOrExportKind::Type
            }
            _ => false,
        });
    if all_types { EdgeKind::Type } else { kind_of(import.import_kind) }
}

/// Records the names that an import requests. A namespace import requests none.
fn record_requests(
    import: &ImportDeclaration<'_>,
    id: ImportId,
    forced: Option<EdgeKind>,
    recorder: &mut Recorder,
) {
    let Some(specifiers) = &import.specifiers else { return };
    let takes_all = specifiers.iter().any(|specifier| {
        matches!(specifier, ImportDeclarationSpecifier::ImportNamespaceSpecifier(_))
    });
    if takes_all {
        return;
    }
    let whole = forced.unwrap_or_else(|| kind_of(import.import_kind));
    for specifier in specifiers {
        match specifier {
            ImportDeclarationSpecifier::ImportSpecifier(named) => {
                let kind = if named.import_kind == ImportOrExportKind::Type {
                    EdgeKind::Type
                } else {
                    whole
                };
                recorder.request(named.span.start, id, &literal::of_name(&named.imported), kind);
            }
            ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => {
                recorder.request(default.span.start, id, "default", whole);
            }
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => {}
        }
    }
}

/// Calls `found` for each name that a statement in a namespace or an ambient module declares,
/// exported or not.
fn each_name<'m>(statement: &'m Statement<'_>, found: &mut dyn FnMut(&'m str)) {
    match statement {
        Statement::ExportDeclaration(export) => each_declared(&export.declaration, found),
        Statement::ExportDefaultDeclaration(export) => each_default(export, found),
        Statement::ExportNamedDeclaration(export) => {
            for specifier in &export.specifiers {
                if let Some(name) = specifier.exported.identifier_name() {
                    found(name.as_str());
                }
            }
        }
        _ => {
            if let Some(declaration) = statement.as_declaration() {
                each_declared(declaration, found);
            }
        }
    }
}

fn each_default<'m>(export: &'m ExportDefaultDeclaration<'_>, found: &mut dyn FnMut(&'m str)) {
    found("default");
    if let ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) = &export.declaration {
        found(interface.id.name.as_str());
    }
}

/// Calls `found` for each declared name.
fn each_declared<'m>(declaration: &'m Declaration<'_>, found: &mut dyn FnMut(&'m str)) {
    let id = match declaration {
        Declaration::VariableDeclaration(variables) => {
            for declarator in &variables.declarations {
                for identifier in declarator.id.get_binding_identifiers() {
                    found(identifier.name.as_str());
                }
            }
            None
        }
        Declaration::FunctionDeclaration(function) => function.id.as_ref(),
        Declaration::ClassDeclaration(class) => class.id.as_ref(),
        Declaration::TSTypeAliasDeclaration(alias) => Some(&alias.id),
        Declaration::TSInterfaceDeclaration(interface) => Some(&interface.id),
        Declaration::TSEnumDeclaration(declaration) => Some(&declaration.id),
        Declaration::TSNamespaceDeclaration(namespace) => Some(&namespace.id),
        Declaration::TSImportEqualsDeclaration(import) => Some(&import.id),
        Declaration::TSExternalModuleDeclaration(_) | Declaration::TSGlobalDeclaration(_) => None,
    };
    if let Some(id) = id {
        found(id.name.as_str());
    }
}
