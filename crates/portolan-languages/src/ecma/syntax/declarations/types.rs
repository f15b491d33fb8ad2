//! Reads types.

use oxc_ast::ast::{
    FormalParameters, TSImportType, TSImportTypeQualifier, TSIndexSignature,
    TSInterfaceDeclaration, TSLiteral, TSMappedType, TSMethodSignatureKind, TSQualifiedName,
    TSSignature, TSTupleElement, TSType, TSTypeAliasDeclaration, TSTypeAnnotation, TSTypeName,
    TSTypeOperatorOperator, TSTypeParameterDeclaration, TSTypeParameterInstantiation,
    TSTypeQueryExprName,
};
use oxc_span::Span as OxcSpan;
use portolan_types::declarations::{Binding, DeclarationKind, List, Shape, Signature, Span, Usage};

use super::scope::Space;
use super::{PLAIN, UNKNOWN, Walker, unbound};

/// Types in types: beyond this a literal is no part of the one around.
const MOST_NESTED: u32 = 4;

impl Walker {
    pub(super) fn annotation(&mut self, it: Option<&TSTypeAnnotation<'_>>) -> u32 {
        it.map_or(UNKNOWN, |it| self.type_of(&it.type_annotation))
    }

    pub(super) fn type_of(&mut self, it: &TSType<'_>) -> u32 {
        match it {
            TSType::TSTypeReference(it) => {
                self.type_name(&it.type_name, it.type_arguments.as_deref())
            }
            TSType::TSTypeLiteral(it) => {
                let members: Vec<u32> = it.members.iter().map(|it| self.type_member(it)).collect();
                let members = self.list(&members);
                self.shape(Shape::Object { members, spreads: List::default() })
            }
            TSType::TSUnionType(it) => {
                let parts: Vec<u32> = it.types.iter().map(|it| self.type_of(it)).collect();
                self.choice(&parts)
            }
            TSType::TSIntersectionType(it) => {
                let parts: Vec<u32> = it.types.iter().map(|it| self.type_of(it)).collect();
                let parts = self.list(&parts);
                self.shape(Shape::Intersection { parts })
            }
            TSType::TSParenthesizedType(it) => self.type_of(&it.type_annotation),
            TSType::TSTypeQuery(it) => {
                self.type_arguments(it.type_arguments.as_deref());
                match &it.expr_name {
                    TSTypeQueryExprName::TSImportType(it) => self.import_type(it),
                    name => name.as_ts_type_name().map_or(UNKNOWN, |name| self.type_query(name)),
                }
            }
            TSType::TSThisType(_) => self.this,
            TSType::TSImportType(it) => self.import_type(it),
            _ => self.hidden(|walker| walker.opaque_type(it)),
        }
    }

    /// Types whose content does not appear in an outline.
    fn opaque_type(&mut self, it: &TSType<'_>) -> u32 {
        match it {
            TSType::TSArrayType(it) => {
                let element = self.type_of(&it.element_type);
                self.shape(Shape::Array { element })
            }
            TSType::TSFunctionType(it) => {
                let parameters = it.type_parameters.as_deref();
                self.function_type(parameters, &it.params, Some(&it.return_type))
            }
            TSType::TSConstructorType(it) => {
                let parameters = it.type_parameters.as_deref();
                self.function_type(parameters, &it.params, Some(&it.return_type))
            }
            TSType::TSConditionalType(it) => self.scoped(false, |walker| {
                walker.type_of(&it.check_type);
                walker.type_of(&it.extends_type);
                let then = walker.type_of(&it.true_type);
                let otherwise = walker.type_of(&it.false_type);
                walker.union(&[then, otherwise])
            }),
            TSType::TSIndexedAccessType(it) => {
                let base = self.type_of(&it.object_type);
                self.indexed(base, &it.index_type)
            }
            TSType::TSInferType(it) => {
                let name = self.name(&it.type_parameter.name.name);
                let constraint = it.type_parameter.constraint.as_ref();
                let shape = constraint.map_or(UNKNOWN, |it| self.type_of(it));
                let binding = Binding { shape, is_parameter: true, ..unbound(name) };
                self.bind(name, Space::Type, binding);
                UNKNOWN
            }
            TSType::TSMappedType(it) => self.mapped(it),
            TSType::TSTupleType(it) => {
                let parts: Vec<u32> =
                    it.element_types.iter().map(|it| self.tuple_element(it)).collect();
                let parts = self.list(&parts);
                self.shape(Shape::Tuple { parts })
            }
            TSType::TSNamedTupleMember(it) => self.tuple_element(&it.element_type),
            TSType::TSTypeOperatorType(it) => {
                let base = self.type_of(&it.type_annotation);
                match it.operator {
                    TSTypeOperatorOperator::Keyof => self.shape(Shape::Keys { base }),
                    TSTypeOperatorOperator::Readonly => base,
                    TSTypeOperatorOperator::Unique => PLAIN,
                }
            }
            TSType::TSTypePredicate(it) => {
                self.guard = self.annotation(it.type_annotation.as_deref());
                PLAIN
            }
            TSType::TSTemplateLiteralType(it) => {
                for part in &it.types {
                    self.type_of(part);
                }
                PLAIN
            }
            TSType::TSLiteralType(it) => self.literal_type(&it.literal),
            TSType::JSDocNullableType(it) => self.type_of(&it.type_annotation),
            TSType::JSDocNonNullableType(it) => self.type_of(&it.type_annotation),
            TSType::TSAnyKeyword(_) | TSType::TSUnknownKeyword(_) => UNKNOWN,
            _ => PLAIN,
        }
    }

    /// A choice of types. Literals say nothing beside a type that has them all.
    fn choice(&mut self, parts: &[u32]) -> u32 {
        if !parts.iter().any(|part| *part <= PLAIN) {
            return self.union(parts);
        }
        let others: Vec<u32> = parts
            .iter()
            .copied()
            .filter(|part| !matches!(self.facts.shape(*part), Shape::Literal { .. }))
            .collect();
        self.union(&others)
    }

    fn literal_type(&mut self, it: &TSLiteral<'_>) -> u32 {
        let text = match it {
            TSLiteral::StringLiteral(it) => format!("'{}", it.value),
            TSLiteral::NumericLiteral(it) => {
                it.raw.as_ref().map_or_else(String::new, ToString::to_string)
            }
            TSLiteral::BooleanLiteral(it) => it.value.to_string(),
            _ => return PLAIN,
        };
        let name = self.name(&text);
        self.shape(Shape::Literal { name })
    }

    /// The type of a member: one that is never there is a value to tell alternatives by.
    fn member_type(&mut self, it: Option<&TSTypeAnnotation<'_>>) -> u32 {
        let absent = match it.map(|it| &it.type_annotation) {
            Some(TSType::TSNullKeyword(_)) => "null",
            Some(TSType::TSUndefinedKeyword(_) | TSType::TSNeverKeyword(_)) => "undefined",
            _ => return self.annotation(it),
        };
        let name = self.name(absent);
        self.shape(Shape::Literal { name })
    }

    fn tuple_element(&mut self, it: &TSTupleElement<'_>) -> u32 {
        match it {
            TSTupleElement::TSOptionalType(it) => self.type_of(&it.type_annotation),
            TSTupleElement::TSRestType(it) => {
                let list = self.type_of(&it.type_annotation);
                self.element(list)
            }
            _ => it.as_ts_type().map_or(UNKNOWN, |it| self.type_of(it)),
        }
    }

    fn indexed(&mut self, base: u32, index: &TSType<'_>) -> u32 {
        if let TSType::TSLiteralType(literal) = index
            && let TSLiteral::StringLiteral(key) = &literal.literal
        {
            let name = self.name(&key.value);
            // The name starts after the quote.
            self.refer(name, key.span.start + 1, Usage::Member, base);
            return self.member(base, name);
        }
        let index = self.type_of(index);
        let is_any = matches!(self.facts.shape(index), Shape::Keys { .. } | Shape::Plain);
        if base <= PLAIN || is_any {
            return self.element(base);
        }
        self.shape(Shape::Indexed { base, index })
    }

    /// `{ [K in C]: V }`.
    fn mapped(&mut self, it: &TSMappedType<'_>) -> u32 {
        self.scoped(false, |walker| {
            let keys = walker.type_of(&it.constraint);
            let source = match walker.facts.shape(keys) {
                Shape::Keys { base } => base,
                Shape::Type { .. } | Shape::FreeType { .. } => keys,
                _ => UNKNOWN,
            };
            let name = walker.name(&it.key.name);
            let binding = Binding { is_parameter: true, shape: keys, ..unbound(name) };
            walker.bind(name, Space::Type, binding);
            if let Some(name) = &it.name_type {
                walker.type_of(name);
            }
            let value = it.type_annotation.as_ref().map_or(UNKNOWN, |it| walker.type_of(it));
            walker.shape(Shape::Mapped { source, value })
        })
    }

    pub(super) fn function_type(
        &mut self,
        parameters: Option<&TSTypeParameterDeclaration<'_>>,
        takes: &FormalParameters<'_>,
        gives: Option<&TSTypeAnnotation<'_>>,
    ) -> u32 {
        self.scoped(true, |walker| {
            let parameters = walker.type_parameters(parameters);
            let (takes, has_rest) = walker.parameters(takes, UNKNOWN);
            let given = walker.annotation(gives);
            let guards = std::mem::take(&mut walker.guard);
            walker.signature(Signature {
                parameters,
                takes,
                has_rest,
                gives: given,
                is_written: gives.is_some(),
                is_async: false,
                guards,
            })
        })
    }

    /// A named type with arguments.
    pub(super) fn type_name(
        &mut self,
        name: &TSTypeName<'_>,
        arguments: Option<&TSTypeParameterInstantiation<'_>>,
    ) -> u32 {
        match name {
            TSTypeName::IdentifierReference(it) => {
                let arguments = self.type_arguments(arguments);
                let name = self.name(&it.name);
                let shape = self.shape(Shape::FreeType { name, arguments });
                let reference = self.refer(
                    name,
                    it.span.start,
                    Usage::Type,
                    portolan_types::declarations::NONE,
                );
                self.scopes.ask(name, Space::Type, shape, reference);
                shape
            }
            TSTypeName::QualifiedName(it) => {
                let base = self.type_query(&it.left);
                let arguments = self.type_arguments(arguments);
                let name = self.name(&it.right.name);
                self.refer(name, it.right.span.start, Usage::Member, base);
                self.shape(Shape::Qualified { base, name, arguments })
            }
            TSTypeName::ThisExpression(_) => self.this,
        }
    }

    /// The name of a namespace or a value inside a type.
    fn type_query(&mut self, name: &TSTypeName<'_>) -> u32 {
        match name {
            TSTypeName::IdentifierReference(it) => self.value_name(&it.name, it.span.start),
            TSTypeName::QualifiedName(it) => self.qualified_value(it),
            TSTypeName::ThisExpression(_) => self.this,
        }
    }

    pub(super) fn qualified_value(&mut self, it: &TSQualifiedName<'_>) -> u32 {
        let base = self.type_query(&it.left);
        let name = self.name(&it.right.name);
        self.refer(name, it.right.span.start, Usage::Member, base);
        self.member(base, name)
    }

    fn import_type(&mut self, it: &TSImportType<'_>) -> u32 {
        let specifier = self.name(&it.source.value);
        let module = self.shape(Shape::Module { specifier });
        let arguments = self.type_arguments(it.type_arguments.as_deref());
        match &it.qualifier {
            None => module,
            Some(qualifier) => {
                let (base, name) = self.qualifier(module, qualifier);
                self.shape(Shape::Qualified { base, name, arguments })
            }
        }
    }

    fn qualifier(&mut self, module: u32, it: &TSImportTypeQualifier<'_>) -> (u32, u32) {
        match it {
            TSImportTypeQualifier::Identifier(it) => {
                let name = self.name(&it.name);
                self.refer(name, it.span.start, Usage::Member, module);
                (module, name)
            }
            TSImportTypeQualifier::QualifiedName(it) => {
                let (base, name) = self.qualifier(module, &it.left);
                let base = self.member(base, name);
                let name = self.name(&it.right.name);
                self.refer(name, it.right.span.start, Usage::Member, base);
                (base, name)
            }
        }
    }

    pub(super) fn alias_item(
        &mut self,
        it: &TSTypeAliasDeclaration<'_>,
        statement: OxcSpan,
    ) -> u32 {
        let name = self.name(&it.id.name);
        let item = self.item(DeclarationKind::Type, name, statement);
        self.bind_item(name, Space::Type, item, UNKNOWN);
        let (parameters, shape) = self.within(item, |walker| {
            walker.scoped(true, |walker| {
                let parameters = walker.type_parameters(it.type_parameters.as_deref());
                (parameters, walker.type_of(&it.type_annotation))
            })
        });
        let members = self.literal_members(shape);
        let body = match &it.type_annotation {
            TSType::TSTypeLiteral(literal) => self.span(literal.span),
            _ => Span::default(),
        };
        self.edit(item, |it| {
            (it.parameters, it.shape, it.members, it.body) = (parameters, shape, members, body);
        });
        item
    }

    /// The members of a literal, or of the literals that are parts of a type.
    fn literal_members(&mut self, shape: u32) -> List {
        if let Shape::Object { members, .. } = self.facts.shape(shape) {
            return members;
        }
        let mut found = Vec::new();
        self.gather_members(shape, MOST_NESTED, &mut found);
        self.list(&found)
    }

    fn gather_members(&self, shape: u32, left: u32, found: &mut Vec<u32>) {
        if left == 0 {
            return;
        }
        match self.facts.shape(shape) {
            Shape::Object { members, .. } => found.extend_from_slice(self.facts.list(members)),
            Shape::Intersection { parts } | Shape::Union { parts } => {
                for part in self.facts.list(parts) {
                    self.gather_members(*part, left - 1, found);
                }
            }
            // `Readonly<{ … }>` has the same members.
            Shape::FreeType { name, arguments }
                if matches!(self.facts.name(name), "Readonly" | "Partial" | "Required") =>
            {
                if let [only] = self.facts.list(arguments) {
                    self.gather_members(*only, left - 1, found);
                }
            }
            _ => {}
        }
    }

    pub(super) fn interface_item(
        &mut self,
        it: &TSInterfaceDeclaration<'_>,
        statement: OxcSpan,
    ) -> u32 {
        let name = self.name(&it.id.name);
        let item = self.item(DeclarationKind::Interface, name, statement);
        self.bind_item(name, Space::Type, item, UNKNOWN);
        let body = self.span(it.body.span);
        let this = self.shape(Shape::This { item });
        let around = std::mem::replace(&mut self.this, this);
        self.within(item, |walker| {
            walker.scoped(true, |walker| {
                let parameters = walker.type_parameters(it.type_parameters.as_deref());
                let bases: Vec<u32> = it
                    .extends
                    .iter()
                    .map(|base| walker.type_name(&base.type_name, base.type_arguments.as_deref()))
                    .collect();
                let members: Vec<u32> =
                    it.body.body.iter().map(|it| walker.type_member(it)).collect();
                let (bases, members) = (walker.list(&bases), walker.list(&members));
                let shape = walker.shape(Shape::Object { members, spreads: bases });
                walker.edit(item, |it| {
                    (it.parameters, it.bases, it.members) = (parameters, bases, members);
                    (it.shape, it.body) = (shape, body);
                });
            });
        });
        self.this = around;
        item
    }

    /// A member of an interface or a type literal.
    fn type_member(&mut self, it: &TSSignature<'_>) -> u32 {
        match it {
            TSSignature::TSIndexSignature(it) => self.index_signature(it),
            TSSignature::TSPropertySignature(it) => {
                let name = self.key(&it.key).map(|(name, _)| name);
                let name = name.unwrap_or_else(|| self.name(""));
                let item = self.member_item(DeclarationKind::Property, name, it.span);
                let shape =
                    self.within(item, |walker| walker.member_type(it.type_annotation.as_deref()));
                self.edit(item, |it| it.shape = shape);
                item
            }
            TSSignature::TSMethodSignature(it) => {
                let kind = match it.kind {
                    TSMethodSignatureKind::Method => DeclarationKind::Method,
                    TSMethodSignatureKind::Get => DeclarationKind::Getter,
                    TSMethodSignatureKind::Set => DeclarationKind::Setter,
                };
                let name = self.key(&it.key).map(|(name, _)| name);
                let name = name.unwrap_or_else(|| self.name(""));
                let item = self.member_item(kind, name, it.span);
                let (parameters, gives) =
                    (it.type_parameters.as_deref(), it.return_type.as_deref());
                self.signature_member(item, parameters, &it.params, gives);
                self.as_property(item, kind);
                item
            }
            TSSignature::TSCallSignatureDeclaration(it) => {
                let name = self.name("()");
                let item = self.member_item(DeclarationKind::Signature, name, it.span);
                let (parameters, gives) =
                    (it.type_parameters.as_deref(), it.return_type.as_deref());
                self.signature_member(item, parameters, &it.params, gives);
                item
            }
            TSSignature::TSConstructSignatureDeclaration(it) => {
                let name = self.name("new()");
                let item = self.member_item(DeclarationKind::Signature, name, it.span);
                let (parameters, gives) =
                    (it.type_parameters.as_deref(), it.return_type.as_deref());
                self.signature_member(item, parameters, &it.params, gives);
                item
            }
        }
    }

    fn signature_member(
        &mut self,
        item: u32,
        parameters: Option<&TSTypeParameterDeclaration<'_>>,
        takes: &FormalParameters<'_>,
        gives: Option<&TSTypeAnnotation<'_>>,
    ) {
        let shape = self.within(item, |walker| {
            walker.hidden(|walker| walker.function_type(parameters, takes, gives))
        });
        self.edit(item, |it| it.shape = shape);
    }

    pub(super) fn index_signature(&mut self, it: &TSIndexSignature<'_>) -> u32 {
        let name = self.name("[]");
        let item = self.member_item(DeclarationKind::Signature, name, it.span);
        let shape = self.within(item, |walker| {
            walker.hidden(|walker| {
                walker.type_of(&it.parameter.type_annotation.type_annotation);
                walker.type_of(&it.type_annotation.type_annotation)
            })
        });
        self.edit(item, |it| it.shape = shape);
        item
    }
}
