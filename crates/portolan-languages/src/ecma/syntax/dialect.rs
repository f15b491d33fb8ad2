//! Detects the language of a file by its name.

use oxc_span::SourceType;

const TS: SourceType = SourceType::unambiguous().with_typescript(true);
const TSX: SourceType = TS.with_jsx(true);
const JS: SourceType = SourceType::unambiguous().with_jsx(true);

static AS_TS: [SourceType; 2] = [TS, TS.with_commonjs(true)];
static AS_TSX: [SourceType; 2] = [TSX, TSX.with_commonjs(true)];
static AS_DTS: [SourceType; 2] = [TS.with_typescript_definition(true), TS];
static AS_JS: [SourceType; 4] = [JS, TSX, JS.with_commonjs(true), TS];

/// How a text is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// TypeScript.
    Ts,
    /// TypeScript with JSX.
    Tsx,
    /// Declarations only.
    Dts,
    /// JavaScript of any kind, possibly with JSX or types.
    Js,
}

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// Only code.
    Script(Dialect),
    /// A component that contains scripts.
    Component(Component),
}

/// The component formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Component {
    Vue,
    Svelte,
    Astro,
}

impl FileKind {
    /// The kind of the file at `path`, if it is code.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (stem, extension) = name.rsplit_once('.')?;
        let is = |wanted: &str| extension.eq_ignore_ascii_case(wanted);
        if ["ts", "mts", "cts"].into_iter().any(is) {
            return Some(Self::Script(if is_declaration(stem) {
                Dialect::Dts
            } else {
                Dialect::Ts
            }));
        }
        if is("tsx") {
            return Some(Self::Script(Dialect::Tsx));
        }
        if ["js", "jsx", "mjs", "cjs"].into_iter().any(is) {
            return Some(Self::Script(Dialect::Js));
        }
        let component =
            [("vue", Component::Vue), ("svelte", Component::Svelte), ("astro", Component::Astro)];
        component
            .into_iter()
            .find(|(wanted, _)| is(wanted))
            .map(|(_, component)| Self::Component(component))
    }
}

impl FileKind {
    /// A number for each kind.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Script(Dialect::Ts) => 0,
            Self::Script(Dialect::Tsx) => 1,
            Self::Script(Dialect::Dts) => 2,
            Self::Script(Dialect::Js) => 3,
            Self::Component(Component::Vue) => 4,
            Self::Component(Component::Svelte) => 5,
            Self::Component(Component::Astro) => 6,
        }
    }
}

impl Dialect {
    /// The ways to parse it, most likely first. The first one without errors is used.
    pub(crate) fn source_types(self) -> &'static [SourceType] {
        match self {
            Self::Ts => &AS_TS,
            Self::Tsx => &AS_TSX,
            Self::Dts => &AS_DTS,
            Self::Js => &AS_JS,
        }
    }
}

/// Whether a file is `a.d.ts`, or `a.d.css.ts` for the declarations of another file.
fn is_declaration(stem: &str) -> bool {
    let ends_in_d =
        |part: &str| part.rsplit('.').next().is_some_and(|last| last.eq_ignore_ascii_case("d"));
    stem.contains('.')
        && (ends_in_d(stem)
            || stem.rsplit_once('.').is_some_and(|(rest, _)| rest.contains('.') && ends_in_d(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_kind_depends_on_the_extension_in_any_case() {
        let cases = [
            ("a.ts", Some(FileKind::Script(Dialect::Ts))),
            ("A.MTS", Some(FileKind::Script(Dialect::Ts))),
            ("d.ts", Some(FileKind::Script(Dialect::Ts))),
            ("x.d/a.ts", Some(FileKind::Script(Dialect::Ts))),
            ("a.D.cts", Some(FileKind::Script(Dialect::Dts))),
            ("a.d.css.ts", Some(FileKind::Script(Dialect::Dts))),
            ("a.tsx", Some(FileKind::Script(Dialect::Tsx))),
            ("a.min.js", Some(FileKind::Script(Dialect::Js))),
            ("a.Cjs", Some(FileKind::Script(Dialect::Js))),
            ("a.vue", Some(FileKind::Component(Component::Vue))),
            ("a.json", None),
            ("ts", None),
        ];
        for (path, kind) in cases {
            assert_eq!(FileKind::of(path), kind, "{path}");
        }
    }
}
