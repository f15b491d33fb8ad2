//! Package stores of the user, outside of any repository.

use std::collections::BTreeMap;

use crate::resolve::ecosystem::Ecosystems;

/// The hidden folders of a home that hold packages and toolchains. The others hold settings, keys and histories.
pub const PACKAGE_FOLDERS: [&str; 16] = [
    ".asdf", ".bun", ".bundle", ".cache", ".cargo", ".deno", ".gem", ".gradle", ".local", ".m2",
    ".npm", ".nuget", ".nvm", ".pyenv", ".rbenv", ".rustup",
];

/// The folders outside of any repository where each ecosystem keeps packages. Empty unless a front
/// end sets them: they depend on the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stores(BTreeMap<&'static str, Vec<String>>);

impl Stores {
    /// Reads the stores from environment variables, or else from each ecosystem's defaults.
    pub fn from_variables(
        ecosystems: Ecosystems,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let absolute = |name: &str| variable(name).filter(|value| value.starts_with('/'));
        let of = |ecosystem: &'static dyn crate::Ecosystem| {
            let stores = ecosystem.stores(&absolute);
            // `..` after a link would lead elsewhere, so such paths are refused.
            let plain = stores.into_iter().filter(|store| !store.split('/').any(|it| it == ".."));
            (ecosystem.name(), plain.map(|store| crate::join("/", &store)).collect())
        };
        Self(
            ecosystems
                .iter()
                .map(of)
                .filter(|(_, stores): &(_, Vec<_>)| !stores.is_empty())
                .collect(),
        )
    }

    /// The stores of an ecosystem, in search order.
    pub fn of(&self, ecosystem: &str) -> &[String] {
        self.0.get(ecosystem).map(Vec::as_slice).unwrap_or_default()
    }

    /// Changes when imports may resolve differently.
    pub fn fingerprint(&self) -> String {
        let each = self.0.iter().map(|(name, stores)| [*name, &stores.join("\n")].join("\n"));
        each.collect::<Vec<_>>().join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use crate::{Ecosystems, Stores};

    #[test]
    fn variables_win_over_defaults_and_only_absolute_paths_count() {
        let said = |pairs: &'static [(&str, &str)]| {
            Stores::from_variables(Ecosystems::default(), |name| {
                pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            })
        };
        let habits = said(&[("HOME", "/home/me/")]);
        assert_eq!(habits.of("cargo"), ["/home/me/.cargo/registry/src"]);
        assert_eq!(habits.of("go"), ["/home/me/go/pkg/mod"]);
        assert_eq!(habits.of("npm"), [""; 0]);
        let named = said(&[("HOME", "/h"), ("CARGO_HOME", "/c"), ("GOPATH", "/g:/x")]);
        assert_eq!(named.of("cargo"), ["/c/registry/src"]);
        assert_eq!(named.of("go"), ["/g/pkg/mod"]);
        assert_eq!(said(&[("GOMODCACHE", "/m")]).of("go"), ["/m"]);
        assert_eq!(said(&[("CARGO_HOME", "here"), ("HOME", "/a/../b")]), Stores::default());
    }
}
