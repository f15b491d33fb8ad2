//! Checks decls one by one in the order of the file.

use std::collections::{BTreeMap, BTreeSet};

use portolan_wire::tree::{Kind, NodeIdx, Tree};

use super::names::{Quoted, check_dotted, check_local, check_type_name};
use super::{
    AstVersion, Check, CheckFailure, DeclKind, array, exprs, fault, object, optional_string,
    required, required_string, strings, types,
};

/// The contract fields that hold clauses directly.
pub(crate) const CLAUSE_FIELDS: [&str; 4] = ["requires", "ensures", "invariant", "decreases"];

/// All contract fields.
pub(crate) const CONTRACT_FIELDS: [&str; 6] =
    ["requires", "ensures", "invariant", "decreases", "loop_contracts", "protocol"];

/// The clause fields of `protocol`.
const PROTOCOL_FIELDS: [&str; 3] = ["await_invariant", "scope_invariant", "cancellation_ensures"];

const SINCE_5: &str = "is only supported in x07.x07ast@0.5.0, x07.x07ast@0.6.0, x07.x07ast@0.7.0, or x07.x07ast@0.8.0";

/// Checks all decls and returns their kinds.
pub(super) fn check(
    tree: &Tree<'_>,
    root: NodeIdx,
    version: AstVersion,
    module_id: &str,
) -> Check<Vec<(DeclKind, NodeIdx)>> {
    let decls = required(tree, root, "decls")?;
    let items = array(tree, decls, "decls")?;
    let mut checker = Checker {
        tree,
        version,
        prefix: format!("{module_id}."),
        names: BTreeMap::new(),
        exported: false,
    };
    items
        .into_iter()
        .enumerate()
        .map(|(index, decl)| Ok((checker.decl(index, decl)?, decl)))
        .collect()
}

/// The kind of a named item.
#[derive(Clone, Copy)]
enum Named {
    Function,
    Data,
}

struct Checker<'t, 's> {
    tree: &'t Tree<'s>,
    version: AstVersion,
    /// The prefix of function names.
    prefix: String,
    /// The names so far, with their kinds.
    names: BTreeMap<&'t str, Named>,
    /// Whether an export with names was seen.
    exported: bool,
}

impl<'t> Checker<'t, '_> {
    fn decl(&mut self, index: usize, decl: NodeIdx) -> Check<DeclKind> {
        let tree = self.tree;
        object(tree, decl, || format!("decls[{index}] must be an object"))?;
        let (at, text) = required_string(tree, decl, "kind")?;
        let text = text.trim();
        let Some(kind) = DeclKind::parse(text) else {
            return fault(at, format!("unsupported decl kind: {}", Quoted(text)));
        };
        match kind {
            DeclKind::Export => self.export(decl, at)?,
            DeclKind::Defn | DeclKind::Defasync => self.function(decl, kind)?,
            DeclKind::Extern => self.external(decl)?,
            DeclKind::Defrecord | DeclKind::Defenum => self.data(decl, kind, at)?,
        }
        Ok(kind)
    }

    fn export(&mut self, decl: NodeIdx, kind: NodeIdx) -> Check<()> {
        if self.exported {
            return fault(kind, "duplicate export decl");
        }
        let names = strings(self.tree, required(self.tree, decl, "names")?, "names")?;
        for &name in &names {
            check_dotted(self.tree.text(name)).or_else(|message| fault(name, message))?;
        }
        self.exported = !names.is_empty();
        Ok(())
    }

    /// Checks the name of a function, and that it belongs to the module.
    fn function_name(&self, decl: NodeIdx, label: &str) -> Check<(NodeIdx, &'t str)> {
        let (at, name) = required_string(self.tree, decl, "name")?;
        check_dotted(name).or_else(|message| fault(at, message))?;
        if name.starts_with(&self.prefix) {
            Ok((at, name))
        } else {
            fault(
                at,
                format!(
                    "{label} name must start with {}, got {}",
                    Quoted(&self.prefix),
                    Quoted(name)
                ),
            )
        }
    }

    fn unique(&mut self, at: NodeIdx, name: &'t str, named: Named) -> Check<()> {
        let noun = match (self.names.insert(name, named), named) {
            (None, _) => return Ok(()),
            (Some(Named::Function), Named::Function) => "function",
            _ => "decl",
        };
        fault(at, format!("duplicate {noun} name: {}", Quoted(name)))
    }

    fn function(&mut self, decl: NodeIdx, kind: DeclKind) -> Check<()> {
        let (tree, label) = (self.tree, kind.as_str());
        let (at, name) = self.function_name(decl, label)?;
        self.type_params(decl)?;
        self.contract_gates(decl, kind)?;
        for field in CLAUSE_FIELDS {
            self.clauses(decl, field)?;
        }
        self.protocol(decl)?;
        self.loop_contracts(decl)?;
        self.params(decl, label)?;
        let result = self.required_in(decl, "result", label)?;
        types::check(tree, result)?;
        if let Some((at, brand)) = optional_string(tree, decl, "result_brand")? {
            check_dotted(brand).or_else(|message| fault(at, message))?;
            self.brandable(result, "result_brand", "result")?;
        }
        exprs::check(tree, self.required_in(decl, "body", label)?)?;
        optional_string(tree, decl, "doc")?;
        self.unique(at, name, Named::Function)
    }

    fn required_in(&self, decl: NodeIdx, field: &str, label: &str) -> Check<NodeIdx> {
        let missing = || fault(decl, format!("missing required field: {field} in {label}"));
        self.tree.get(decl, field).map_or_else(missing, Ok)
    }

    fn type_params(&self, decl: NodeIdx) -> Check<()> {
        let tree = self.tree;
        let Some(list) = tree.get(decl, "type_params") else { return Ok(()) };
        let mut seen = BTreeSet::new();
        for param in array(tree, list, "type_params")? {
            object(tree, param, || "type_params item must be an object".into())?;
            let (at, name) = required_string(tree, param, "name")?;
            check_local(name).or_else(|message| fault(at, message))?;
            if !seen.insert(name) {
                return fault(at, format!("duplicate type param name: {}", Quoted(name)));
            }
            if let Some((at, bound)) = optional_string(tree, param, "bound")? {
                check_type_name(bound).or_else(|message| fault(at, message))?;
            }
        }
        Ok(())
    }

    /// Checks which contract fields the version and the kind allow. Only the presence of the key
    /// counts.
    fn contract_gates(&self, decl: NodeIdx, kind: DeclKind) -> Check<()> {
        let tree = self.tree;
        if self.version < AstVersion(5) {
            for field in ["requires", "ensures", "invariant", "loop_contracts", "protocol"] {
                if let Some(at) = tree.get(decl, field) {
                    return fault(at, format!("{field} {SINCE_5}"));
                }
            }
        }
        if let Some(at) = tree.get(decl, "decreases") {
            if kind == DeclKind::Defasync {
                return fault(at, "decreases is only supported on defn declarations");
            }
            if self.version < AstVersion(8) {
                return fault(at, "decreases is only supported in x07.x07ast@0.8.0");
            }
        }
        match tree.get(decl, "protocol") {
            Some(at) if kind == DeclKind::Defn => {
                fault(at, "protocol is only supported on defasync declarations")
            }
            _ => Ok(()),
        }
    }

    /// Checks a list of contract clauses, if it exists.
    fn clauses(&self, parent: NodeIdx, field: &str) -> Check<()> {
        let tree = self.tree;
        let Some(list) = tree.get(parent, field) else { return Ok(()) };
        for clause in array(tree, list, field)? {
            object(tree, clause, || format!("{field} clause must be an object"))?;
            optional_string(tree, clause, "id")?;
            exprs::check(tree, required(tree, clause, "expr")?)?;
            if let Some(witness) = tree.get(clause, "witness") {
                for expr in array(tree, witness, "witness")? {
                    exprs::check(tree, expr)?;
                }
            }
        }
        Ok(())
    }

    fn protocol(&self, decl: NodeIdx) -> Check<()> {
        let Some(protocol) = self.tree.get(decl, "protocol") else { return Ok(()) };
        if self.version < AstVersion(7) {
            return fault(
                protocol,
                "protocol is only supported in x07.x07ast@0.7.0 or x07.x07ast@0.8.0",
            );
        }
        object(self.tree, protocol, || "protocol must be an object".into())?;
        PROTOCOL_FIELDS.iter().try_for_each(|field| self.clauses(protocol, field))
    }

    fn loop_contracts(&self, decl: NodeIdx) -> Check<()> {
        let tree = self.tree;
        let Some(list) = tree.get(decl, "loop_contracts") else { return Ok(()) };
        if self.version < AstVersion(6) {
            return fault(
                list,
                "loop_contracts is only supported in x07.x07ast@0.6.0, x07.x07ast@0.7.0, or x07.x07ast@0.8.0",
            );
        }
        for contract in array(tree, list, "loop_contracts")? {
            object(tree, contract, || "loop_contracts item must be an object".into())?;
            required_string(tree, contract, "ptr")?;
            self.clauses(contract, "invariant")?;
            self.clauses(contract, "decreases")?;
        }
        Ok(())
    }

    fn params(&self, decl: NodeIdx, label: &str) -> Check<Vec<NodeIdx>> {
        let tree = self.tree;
        let list = self.required_in(decl, "params", label)?;
        let params = array(tree, list, &format!("{label}.params"))?;
        for (index, &param) in params.iter().enumerate() {
            object(tree, param, || format!("{label}.params[{index}] must be an object"))?;
            let (at, name) = required_string(tree, param, "name")?;
            check_local(name).or_else(|message| fault(at, message))?;
            if name.trim() == "input" {
                let advice = "rename to 'data', 'payload', 'in_bytes', or 'buf'";
                return fault(
                    at,
                    format!("{label} arg name must not be 'input' (reserved); {advice}"),
                );
            }
            let ty = required(tree, param, "ty")?;
            types::check(tree, ty)?;
            if let Some((at, brand)) = optional_string(tree, param, "brand")? {
                check_dotted(brand).or_else(|message| fault(at, message))?;
                self.brandable(ty, "brand", "param")?;
            }
        }
        Ok(params)
    }

    fn brandable(&self, ty: NodeIdx, field: &str, what: &str) -> Check<()> {
        if types::is_bytes_like(self.tree, ty) {
            return Ok(());
        }
        let shown = types::debug(self.tree, ty);
        fault(ty, format!("E_BRAND_BAD_TY: {field} is not allowed on {what} type {shown}"))
    }

    fn external(&mut self, decl: NodeIdx) -> Check<()> {
        let tree = self.tree;
        let (at, name) = self.function_name(decl, "extern")?;
        let (abi_at, abi) = required_string(tree, decl, "abi")?;
        if abi.trim() != "C" {
            return fault(
                abi_at,
                format!("unsupported extern abi: expected \"C\" got {}", Quoted(abi)),
            );
        }
        match optional_string(tree, decl, "link_name")? {
            Some((at, link_name)) => {
                check_local(link_name).or_else(|message| fault(at, message))?;
            }
            None => check_local(last_segment(name)).or_else(|message| fault(at, message))?,
        }
        for param in self.params(decl, "extern")? {
            if let Some(ty) = tree.get(param, "ty").filter(|&ty| !types::is_ffi(tree, ty)) {
                return fault(
                    ty,
                    "extern param has unsupported type (only i32 and raw pointers are supported)",
                );
            }
        }
        let result = required(tree, decl, "result")?;
        if tree.string(result).is_none_or(|text| text.trim() != "void") {
            types::check(tree, result)?;
            if !types::is_ffi(tree, result) {
                return fault(
                    result,
                    "extern result has unsupported type (only i32 and raw pointers are supported)",
                );
            }
        }
        self.unique(at, name, Named::Function)
    }

    fn data(&mut self, decl: NodeIdx, kind: DeclKind, kind_at: NodeIdx) -> Check<()> {
        if self.version < AstVersion(9) {
            return fault(
                kind_at,
                format!("{} is only supported in x07.x07ast@0.9.0", kind.as_str()),
            );
        }
        let (at, name) = required_string(self.tree, decl, "name")?;
        if kind == DeclKind::Defrecord {
            self.parts(decl, "defrecord", "fields", "field")?
                .into_iter()
                .try_fold(BTreeSet::new(), |seen, (index, field)| {
                    self.record_field(seen, index, field)
                })?;
        } else {
            self.parts(decl, "defenum", "variants", "variant")?
                .into_iter()
                .try_fold(BTreeSet::new(), |seen, (index, variant)| {
                    self.enum_variant(seen, index, variant)
                })?;
        }
        self.unique(at, name, Named::Data)
    }

    /// Checks the fields of a record or the variants of an enum: there must be at least one.
    fn parts(
        &self,
        decl: NodeIdx,
        label: &str,
        list: &'static str,
        part: &str,
    ) -> Check<Vec<(usize, NodeIdx)>> {
        let items = self.tree.get(decl, list).filter(|&items| self.tree.kind(items) == Kind::Array);
        let Some(items) = items else {
            return Err(CheckFailure {
                message: format!("{label} requires a `{list}` array"),
                at: decl,
                field: list,
            });
        };
        if self.tree.len(items) == 0 {
            return fault(items, format!("{label} requires at least one {part}"));
        }
        Ok(self.tree.items(items).enumerate().collect())
    }

    fn record_field(
        &self,
        mut seen: BTreeSet<&'t str>,
        index: usize,
        field: NodeIdx,
    ) -> Check<BTreeSet<&'t str>> {
        let tree = self.tree;
        object(tree, field, || format!("record field {index} must be an object"))?;
        let (at, name) = required_string(tree, field, "name")?;
        if !seen.insert(name) {
            return fault(at, format!("duplicate record field: {}", Quoted(name)));
        }
        let (at, ty) = required_string(tree, field, "ty")?;
        if matches!(ty, "i32" | "u32") {
            return Ok(seen);
        }
        let limits = "records currently support only `i32`/`u32` fields (fixed 32-bit scalars)";
        fault(at, format!("record field {} has type {}; {limits}", Quoted(name), Quoted(ty)))
    }

    fn enum_variant(
        &self,
        mut seen: BTreeSet<&'t str>,
        index: usize,
        variant: NodeIdx,
    ) -> Check<BTreeSet<&'t str>> {
        let tree = self.tree;
        object(tree, variant, || format!("enum variant {index} must be an object"))?;
        let (at, name) = required_string(tree, variant, "name")?;
        if !seen.insert(name) {
            return fault(at, format!("duplicate enum variant: {}", Quoted(name)));
        }
        let Some(at) = tree.get(variant, "payload") else { return Ok(seen) };
        let Some(ty) = tree.string(at) else {
            return fault(at, "enum variant payload must be a type name string");
        };
        if matches!(ty, "i32" | "u32") {
            return Ok(seen);
        }
        let limits = "variants currently support no payload or a single `i32`/`u32` payload";
        fault(
            at,
            format!(
                "enum variant {} payload type {} is unsupported; {limits}",
                Quoted(name),
                Quoted(ty)
            ),
        )
    }
}

/// The text after the last dot.
pub(crate) fn last_segment(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}
