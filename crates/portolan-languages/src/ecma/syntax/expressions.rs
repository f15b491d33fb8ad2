//! Records the imports in expressions and types, anywhere in a file.

use memchr::memmem;
use oxc_ast::ast::{
    Argument, ArrowFunctionExpression, CallExpression, Expression, Function, ImportExpression,
    MethodDefinition, NewExpression, ObjectProperty, Program, PropertyKind, TSImportType,
    TSImportTypeQualifier,
};
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::scope::ScopeFlags;
use portolan_types::EdgeKind;

use crate::ecma::syntax::import_form::EcmaImportForm;
use crate::ecma::syntax::literal;
use crate::ecma::syntax::recorder::Recorder;

/// Records `import()`, `require()` and related calls anywhere in `program`.
pub(crate) fn record(program: &Program<'_>, recorder: &mut Recorder) {
    if may_have_any(program.source_text.as_bytes()) {
        ImportFinder { recorder, functions: 0 }.visit_program(program);
    }
}

/// Whether the text contains one of the words that start these forms. Most files do not.
fn may_have_any(text: &[u8]) -> bool {
    let is_call = |at: usize| {
        let rest = text[at + "import".len()..].trim_ascii_start();
        matches!(rest.first(), Some(b'(' | b'.' | b'/'))
    };
    memmem::find(text, b"require").is_some() || memmem::find_iter(text, b"import").any(is_call)
}

struct ImportFinder<'r> {
    recorder: &'r mut Recorder,
    /// How many functions enclose the current node.
    functions: u32,
}

impl ImportFinder<'_> {
    fn inside_function(&mut self, visit: impl FnOnce(&mut Self)) {
        self.functions += 1;
        visit(self);
        self.functions -= 1;
    }

    fn record_call(&mut self, call: &CallExpression<'_>) {
        let (kind, form) = match &call.callee {
            Expression::Identifier(callee) if callee.name == "require" => (
                if self.functions == 0 { EdgeKind::Runtime } else { EdgeKind::Dynamic },
                EcmaImportForm::Require,
            ),
            Expression::StaticMemberExpression(member) if member.property.name == "resolve" => {
                match &member.object {
                    Expression::Identifier(object) if object.name == "require" => {
                        (EdgeKind::Dynamic, EcmaImportForm::Require)
                    }
                    Expression::ImportMeta(_) => (EdgeKind::Dynamic, EcmaImportForm::Import),
                    _ => return,
                }
            }
            _ => return,
        };
        if let Some(specifier) = call.arguments.first().and_then(literal::of_argument) {
            self.recorder.import(call.span, &specifier, kind, form);
        } else if call.callee.is_specific_id("require")
            && let Some(argument) = call.arguments.first().and_then(Argument::as_expression)
        {
            self.recorder.compute(&literal::start_of(argument));
        }
    }

    /// `new URL('x', import.meta.url)`
    fn record_new(&mut self, new: &NewExpression<'_>) {
        let (Expression::Identifier(callee), [url, base, ..]) =
            (&new.callee, new.arguments.as_slice())
        else {
            return;
        };
        let Some(Expression::StaticMemberExpression(base)) = base.as_expression() else { return };
        if callee.name == "URL"
            && base.property.name == "url"
            && matches!(base.object, Expression::ImportMeta(_))
            && let Some(url) = literal::of_argument(url)
            && may_be_file(&url)
        {
            self.recorder.import(new.span, &url, EdgeKind::Dynamic, EcmaImportForm::Url);
        }
    }
}

/// Whether a URL is relative and not a folder.
fn may_be_file(url: &str) -> bool {
    let first = url.split(['/', '?', '#']).next().unwrap_or_default();
    let is_folder = url.ends_with('/')
        || matches!(url, "" | "." | "..")
        || url.ends_with("/.")
        || url.ends_with("/..");
    !is_folder && !first.contains(':') && !url.starts_with("//")
}

impl<'a> Visit<'a> for ImportFinder<'_> {
    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        self.inside_function(|finder| walk::walk_function(finder, function, flags));
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        self.inside_function(|finder| walk::walk_arrow_function_expression(finder, arrow));
    }

    fn visit_method_definition(&mut self, method: &MethodDefinition<'a>) {
        self.inside_function(|finder| walk::walk_method_definition(finder, method));
    }

    fn visit_object_property(&mut self, property: &ObjectProperty<'a>) {
        if property.method || property.kind != PropertyKind::Init {
            self.inside_function(|finder| walk::walk_object_property(finder, property));
        } else {
            walk::walk_object_property(self, property);
        }
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.record_call(call);
        walk::walk_call_expression(self, call);
    }

    fn visit_new_expression(&mut self, new: &NewExpression<'a>) {
        self.record_new(new);
        walk::walk_new_expression(self, new);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if let Some(specifier) = literal::of_expression(&import.source) {
            self.recorder.import(
                import.span,
                &specifier,
                EdgeKind::Dynamic,
                EcmaImportForm::Import,
            );
        } else {
            self.recorder.compute(&literal::start_of(&import.source));
        }
        walk::walk_import_expression(self, import);
    }

    fn visit_ts_import_type(&mut self, import: &TSImportType<'a>) {
        let specifier = literal::of_string(&import.source);
        let id =
            self.recorder.import(import.span, &specifier, EdgeKind::Type, EcmaImportForm::Import);
        if let Some(qualifier) = &import.qualifier {
            self.recorder.request_in_type(import.span.start, id, first_name(qualifier));
        }
        walk::walk_ts_import_type(self, import);
    }
}

/// `A` of `A.B.C`
fn first_name<'e>(qualifier: &'e TSImportTypeQualifier<'_>) -> &'e str {
    let mut qualifier = qualifier;
    loop {
        match qualifier {
            TSImportTypeQualifier::Identifier(identifier) => return identifier.name.as_str(),
            TSImportTypeQualifier::QualifiedName(name) => qualifier = &name.left,
        }
    }
}
