//! Names that stand in strings: of members that are asked for by text, and of types that are quoted in calls.

use portolan_types::declarations::{DeclarationKind, List, Shape, Usage};
use tree_sitter::Node;

use super::PythonTreeReader;
use crate::syntax::declaring::UNKNOWN;
use crate::syntax::grammar::{child, children};

/// Whether the brackets of a name hold types.
pub(super) fn takes_types(name: &str) -> bool {
    matches!(
        name,
        "Optional"
            | "Union"
            | "List"
            | "Dict"
            | "Set"
            | "FrozenSet"
            | "Tuple"
            | "Type"
            | "Callable"
            | "Iterable"
            | "Iterator"
            | "Sequence"
            | "Mapping"
            | "ClassVar"
            | "Final"
            | "Annotated"
            | "Awaitable"
            | "Generator"
            | "list"
            | "dict"
            | "set"
            | "frozenset"
            | "tuple"
            | "type"
    )
}

/// Whether a text is one name.
fn is_name(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    !text.is_empty()
        && text.chars().all(is_part)
        && !text.starts_with(|letter: char| letter.is_ascii_digit())
}

impl PythonTreeReader<'_> {
    /// The text of a string without its quotes, and where it starts.
    fn inside(&self, node: Node<'_>) -> Option<(usize, &str)> {
        let content = child(node, "string_content").filter(|_| node.kind() == "string")?;
        Some((content.start_byte(), self.text.get(content.byte_range())?))
    }

    /// Adds a use of a member by a text that is its name.
    pub(super) fn quoted_member(&mut self, base: u32, node: Node<'_>) {
        let Some((at, text)) = self.inside(node).filter(|(_, text)| is_name(text)) else { return };
        let text = text.to_owned();
        let name = self.name(&text);
        self.refer(name, at as u32, Usage::Member, base);
    }

    /// What the table of the members of a value is of: `item.__dict__`, `vars(item)`.
    pub(super) fn named_by_text(&mut self, table: Node<'_>, otherwise: u32) -> u32 {
        let object = table.child_by_field_name("object");
        if let Some(object) = object.filter(|_| self.field_text(table, "attribute") == "__dict__") {
            return self.again(object);
        }
        if table.kind() == "call" && self.field_text(table, "function") == "vars" {
            let arguments = table.child_by_field_name("arguments").map(children);
            if let Some([only]) = arguments.as_deref() {
                return self.again(*only);
            }
        }
        // Keys of what is no name are those of tables.
        if table.kind() == "identifier" { otherwise } else { UNKNOWN }
    }

    /// The value of an expression whose uses were added before.
    pub(super) fn again(&mut self, node: Node<'_>) -> u32 {
        if node.kind() != "identifier" {
            return UNKNOWN;
        }
        let text = self.text_of(node);
        let name = self.name(text);
        self.value_of(name)
    }

    /// What the strings among the arguments of a call name.
    pub(super) fn quoted_arguments(&mut self, called: &str, of: &[Node<'_>], given: &[u32]) {
        let last = called.rsplit('.').next().unwrap_or(called);
        let at = |index: usize| of.get(index).copied().filter(|it| it.kind() == "string");
        let value = given.first().copied().unwrap_or(UNKNOWN);
        match last {
            "getattr" | "hasattr" | "setattr" | "delattr" | "object" => {
                let is_patch = last != "object" || called.ends_with("patch.object");
                if let Some(name) = at(1).filter(|_| is_patch) {
                    self.quoted_member(value, name);
                }
            }
            "attrgetter" | "methodcaller" => {
                if let Some(name) = at(0) {
                    self.quoted_member(UNKNOWN, name);
                }
            }
            "patch" | "import_string" | "string_import" | "import_object" => {
                if let Some(path) = at(0) {
                    self.quoted_path(path);
                }
            }
            "TypeVar" | "NewType" | "ParamSpec" => {
                for index in 1..of.len() {
                    at(index).map(|it| self.type_of(it));
                }
            }
            "ForwardRef" => {
                at(0).map(|it| self.type_of(it));
            }
            "NamedTuple" | "TypedDict" => {
                for fields in of.get(1).into_iter().flat_map(|it| children(*it)) {
                    let parts = children(fields);
                    if let Some(written) = parts.get(1).filter(|it| it.kind() == "string") {
                        self.type_of(*written);
                    }
                }
            }
            _ => {}
        }
        if last == "setattr"
            && let Some(path) = at(0)
        {
            self.quoted_path(path);
        }
    }

    /// `"package.module.Item.name"`: a use of its last part.
    fn quoted_path(&mut self, node: Node<'_>) {
        let Some((at, text)) = self.inside(node) else { return };
        let text = text.to_owned();
        if !text.split('.').all(is_name) {
            return;
        }
        let Some((path, name)) = text.rsplit_once('.') else { return };
        let at = at + text.len() - name.len();
        let is_class = |part: &str| part.starts_with(char::is_uppercase);
        let class = path.rsplit_once('.').filter(|(_, last)| is_class(last));
        let (module, class) = class.map_or((path, None), |(module, class)| (module, Some(class)));
        let binding = self.inline_import(module, class);
        let base = self.shape(Shape::Name { binding });
        let name = self.name(name);
        self.refer(name, at as u32, Usage::Member, base);
    }

    /// A name in the body of a class that is one of its members: functions do not see these, other lines of the body do.
    pub(super) fn member_around(&mut self, node: Node<'_>) -> Option<u32> {
        let class = self.own.classes.last()?;
        let item = class.item;
        let is_default =
            self.own.is_default && self.facts.item(self.parent).is_some_and(|it| it.parent == item);
        if self.parent != item && !is_default {
            return None;
        }
        let name = self.facts.find_name(self.text_of(node))?;
        let declared = class.members.iter().filter_map(|it| self.facts.item(*it));
        let mut declared = declared.filter(|it| it.name == name && it.parent == item);
        // What methods give to instances is no name of the body.
        let is_name = declared.any(|it| {
            it.kind != DeclarationKind::Property
                || it.at > it.span.start
                || self.is_own_line(it.span.start)
        });
        if !is_name {
            return None;
        }
        let base = self.shape(Shape::Class { item });
        Some(self.member_use(base, node))
    }

    /// Whether a member of the class is declared by its bare name.
    fn is_own_line(&self, at: u32) -> bool {
        let rest = self.text.get(at as usize..).unwrap_or_default();
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        !rest.trim_start_matches(is_part).starts_with('.')
    }

    /// `Kind.ONE` in a pattern.
    pub(super) fn dotted_value(&mut self, node: Node<'_>) -> u32 {
        let parts = children(node);
        let Some((first, path)) = parts.split_first() else { return UNKNOWN };
        let mut base = self.expression(*first);
        for part in path {
            base = self.member_use(base, *part);
        }
        base
    }

    /// `case Item(size=1)`
    pub(super) fn class_pattern(&mut self, node: Node<'_>) -> u32 {
        let mut of = UNKNOWN;
        for (part, index) in children(node).into_iter().zip(0u32..) {
            let inner = children(part).into_iter().next();
            let keyword = match part.kind() {
                "keyword_pattern" => Some(part),
                _ => inner.filter(|it| it.kind() == "keyword_pattern"),
            };
            match keyword {
                _ if index == 0 => of = self.pattern_type(part),
                Some(keyword) => {
                    let parts = children(keyword);
                    if let Some((name, values)) = parts.split_first() {
                        self.member_use(of, *name);
                        for value in values {
                            self.expression(*value);
                        }
                    }
                }
                None => {
                    self.expression(part);
                }
            }
        }
        of
    }

    /// The class of a pattern: `Item`, `module.Item`.
    fn pattern_type(&mut self, node: Node<'_>) -> u32 {
        let parts = children(node);
        let Some((first, path)) = parts.split_first() else { return self.type_of(node) };
        let Some((last, path)) = path.split_last() else { return self.type_of(*first) };
        let mut base = self.expression(*first);
        for part in path {
            base = self.member_use(base, *part);
        }
        let text = self.text_of(*last);
        let name = self.name(text);
        self.refer(name, last.start_byte() as u32, Usage::Member, base);
        self.shape(Shape::Qualified { base, name, arguments: List::default() })
    }
}
