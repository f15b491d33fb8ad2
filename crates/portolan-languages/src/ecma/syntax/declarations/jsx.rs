//! Reads JSX: components and their attributes.

use oxc_ast::ast::{
    JSXAttributeItem, JSXAttributeName, JSXAttributeValue, JSXChild, JSXElement, JSXElementName,
    JSXExpression, JSXMemberExpression, JSXMemberExpressionObject, JSXOpeningElement,
};
use portolan_types::declarations::{Shape, Usage};

use super::{PLAIN, UNKNOWN, Walker};

impl Walker {
    pub(super) fn element_expression(&mut self, it: &JSXElement<'_>) {
        let props = self.opening(&it.opening_element);
        let name = self.name("children");
        let children = self.member(props, name);
        self.children(&it.children, children);
    }

    pub(super) fn children(&mut self, children: &[JSXChild<'_>], expected: u32) {
        for child in children {
            match child {
                JSXChild::Text(_) => {}
                JSXChild::Element(it) => self.element_expression(it),
                JSXChild::Fragment(it) => self.children(&it.children, UNKNOWN),
                JSXChild::ExpressionContainer(it) => self.container(&it.expression, expected),
                JSXChild::Spread(it) => {
                    self.expression(&it.expression, UNKNOWN);
                }
            }
        }
    }

    fn container(&mut self, expression: &JSXExpression<'_>, expected: u32) {
        if let Some(expression) = expression.as_expression() {
            self.expression(expression, expected);
        }
    }

    /// Reads an opening tag. Returns the shape of the component's props.
    fn opening(&mut self, it: &JSXOpeningElement<'_>) -> u32 {
        let component = match &it.name {
            JSXElementName::IdentifierReference(it) => self.value_name(&it.name, it.span.start),
            JSXElementName::MemberExpression(it) => self.tag_member(it),
            JSXElementName::ThisExpression(_) => self.this,
            JSXElementName::Identifier(_) | JSXElementName::NamespacedName(_) => PLAIN,
        };
        self.type_arguments(it.type_arguments.as_deref());
        let props =
            if component <= PLAIN { UNKNOWN } else { self.shape(Shape::Props { component }) };
        for attribute in &it.attributes {
            match attribute {
                JSXAttributeItem::Attribute(it) => {
                    // The attributes of an HTML element have built-in types.
                    let mut expected = if component == PLAIN { PLAIN } else { UNKNOWN };
                    if let JSXAttributeName::Identifier(name) = &it.name
                        && props != UNKNOWN
                    {
                        let at = name.span.start;
                        // Every component may be given these: they say nothing of its props.
                        let of = match name.name.as_str() {
                            "key" | "ref" => self.shape(Shape::Props { component }),
                            _ => props,
                        };
                        let name = self.name(&name.name);
                        self.refer(name, at, Usage::Given, of);
                        expected = self.member(props, name);
                    }
                    match &it.value {
                        Some(JSXAttributeValue::ExpressionContainer(it)) => {
                            self.container(&it.expression, expected);
                        }
                        Some(JSXAttributeValue::Element(it)) => self.element_expression(it),
                        Some(JSXAttributeValue::Fragment(it)) => {
                            self.children(&it.children, UNKNOWN);
                        }
                        Some(JSXAttributeValue::StringLiteral(_)) | None => {}
                    }
                }
                JSXAttributeItem::SpreadAttribute(it) => {
                    self.expression(&it.argument, props);
                }
            }
        }
        props
    }

    fn tag_member(&mut self, it: &JSXMemberExpression<'_>) -> u32 {
        let base = match &it.object {
            JSXMemberExpressionObject::IdentifierReference(it) => {
                self.value_name(&it.name, it.span.start)
            }
            JSXMemberExpressionObject::MemberExpression(it) => self.tag_member(it),
            JSXMemberExpressionObject::ThisExpression(_) => self.this,
        };
        let name = self.name(&it.property.name);
        self.refer(name, it.property.span.start, Usage::Member, base);
        self.member(base, name)
    }
}
