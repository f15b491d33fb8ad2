//! Tests the resolution of Python imports.

use portolan_testkit::{check_edges, check_notices, check_targets, map_of};

#[test]
fn absolute_and_relative_imports_lead_to_modules_and_packages() {
    check_edges(
        "//- app/__init__.py\n//- app/a.py\nimport app.b\nfrom . import c\nfrom .d.e import f\nfrom ..nope import x\n\
         //- app/b.py\n//- app/c.py\n//- app/d/__init__.py\n//- app/d/e.py\nf = 1\n",
        &[
            "app/a.py -> ..nope runtime",
            "app/a.py -> app/b.py runtime",
            "app/a.py -> app/c.py runtime",
            "app/a.py -> app/d/e.py runtime",
        ],
    );
}

#[test]
fn the_platform_and_other_projects_are_named_by_their_top() {
    check_targets(
        "//- a.py\nimport os.path\nfrom collections.abc import Mapping\nimport numpy.linalg as la\nfrom yaml import safe_load\n",
        "a.py",
        "?numpy python:collections python:os ?yaml",
    );
}

#[test]
fn an_imported_name_is_a_submodule_unless_the_package_has_it() {
    let fixture = |init: &str| {
        format!("//- p/__init__.py\n{init}\n//- p/n.py\nn = 1\n//- use.py\nfrom p import n\n")
    };
    check_targets(&fixture(""), "use.py", "p/n.py");
    check_targets(&fixture("n = 2"), "use.py", "p/__init__.py");
    check_targets(&fixture("from . import n"), "use.py", "p/n.py");
    // The package re-exports the submodule's name.
    check_targets(&fixture("from .n import n"), "use.py", "p/n.py");
}

#[test]
fn names_are_followed_through_packages_stars_and_attributes_of_modules() {
    check_edges(
        "//- p/__init__.py\nfrom .x import *\nfrom .y import Y as Z\nfrom . import sub\n//- p/x.py\nclass X: pass\n\
         //- p/y.py\nclass Y: pass\n//- p/sub/__init__.py\nfrom .deep import D\n//- p/sub/deep.py\nclass D: pass\n\
         //- use.py\nfrom p import X, Z\nfrom p import sub\nprint(sub.D)\n",
        &[
            "p/__init__.py -> p/sub/__init__.py runtime",
            "p/__init__.py -> p/x.py runtime",
            "p/__init__.py -> p/y.py runtime",
            "p/sub/__init__.py -> p/sub/deep.py runtime",
            "use.py -> p/__init__.py runtime",
            "use.py -> p/sub/__init__.py runtime",
            "use.py ~> p/sub/deep.py runtime",
            "use.py ~> p/x.py runtime",
            "use.py ~> p/y.py runtime",
        ],
    );
}

#[test]
fn imports_for_type_checkers_are_types_and_calls_are_dynamic() {
    check_edges(
        "//- a.py\nfrom typing import TYPE_CHECKING\nimport importlib\nif TYPE_CHECKING:\n    import t\nelse:\n    import r\n\
         def f():\n    importlib.import_module('d')\n    __import__('e')\n\
         //- t.py\n//- r.py\n//- d.py\n//- e.py\n//- s.pyi\nimport r\n",
        &[
            "a.py -> d.py dynamic",
            "a.py -> e.py dynamic",
            "a.py -> python:importlib runtime",
            "a.py -> python:typing runtime",
            "a.py -> r.py runtime",
            "a.py -> t.py type",
            "s.pyi -> r.py type",
        ],
    );
}

#[test]
fn roots_come_from_the_file_its_manifests_and_the_usual_places() {
    let use_of = |manifest: &str, module: &str| {
        format!(
            "{manifest}//- {module}\nx = 1\n//- tests/test_a.py\nfrom pkg.mod import x\n//- {}/__init__.py\n",
            module.rsplit_once('/').unwrap().0
        )
    };
    check_targets(&use_of("", "src/pkg/mod.py"), "tests/test_a.py", "src/pkg/mod.py");
    check_targets(&use_of("", "lib/pkg/mod.py"), "tests/test_a.py", "lib/pkg/mod.py");
    let setuptools = "//- pyproject.toml\n[tool.setuptools.packages.find]\nwhere = [\"code\"]\n";
    check_targets(&use_of(setuptools, "code/pkg/mod.py"), "tests/test_a.py", "code/pkg/mod.py");
    let poetry =
        "//- pyproject.toml\n[tool.poetry]\npackages = [{ include = \"pkg\", from = \"py\" }]\n";
    check_targets(&use_of(poetry, "py/pkg/mod.py"), "tests/test_a.py", "py/pkg/mod.py");
    let cfg = "//- setup.cfg\n[options]\npackage_dir =\n    = deep/er\n";
    check_targets(&use_of(cfg, "deep/er/pkg/mod.py"), "tests/test_a.py", "deep/er/pkg/mod.py");
    let script = "//- setup.py\nsetup(package_dir={'': 'sources'})\n";
    check_targets(&use_of(script, "sources/pkg/mod.py"), "tests/test_a.py", "sources/pkg/mod.py");
    for (declared, module) in [
        ("[tool.hatch.build.targets.wheel]\npackages = [\"code/pkg\"]", "code/pkg/mod.py"),
        ("[tool.hatch.build]\nsources = [\"code\"]", "code/pkg/mod.py"),
        ("[tool.uv.build-backend]\nmodule-root = \"code\"", "code/pkg/mod.py"),
        ("[tool.maturin]\npython-source = \"code\"", "code/pkg/mod.py"),
        ("[tool.pdm.build]\npackage-dir = \"code\"", "code/pkg/mod.py"),
        ("[tool.setuptools.package-dir]\n\"\" = \"code\"", "code/pkg/mod.py"),
    ] {
        // A second folder has the same name: only the manifest decides.
        let other = "//- aside/pkg/__init__.py\n//- aside/pkg/mod.py\n";
        let manifest = format!("//- pyproject.toml\n{declared}\n{other}");
        check_targets(&use_of(&manifest, module), "tests/test_a.py", module);
    }
    // No manifest declares it, but only one folder has the name.
    check_targets(&use_of("", "odd/place/pkg/mod.py"), "tests/test_a.py", "odd/place/pkg/mod.py");
}

#[test]
fn a_script_finds_its_neighbours_and_a_package_goes_before_a_folder_without_one() {
    check_targets(
        "//- tools/run.py\nimport helper\n//- tools/helper.py\n//- helper.py\n",
        "tools/run.py",
        "tools/helper.py",
    );
    check_targets(
        "//- a.py\nimport p.m\n//- p/readme.py\n//- src/p/__init__.py\n//- src/p/m.py\n",
        "a.py",
        "src/p/m.py",
    );
}

#[test]
fn a_folder_called_like_a_module_of_the_platform_is_not_that_module() {
    check_targets(
        "//- a/use.py\nimport email.message\n//- email/tmpl.py\n",
        "a/use.py",
        "python:email",
    );
}

#[test]
fn broken_code_gives_what_can_be_read() {
    check_targets(
        "//- a.py\nx = foo(\nimport b\ndef f():\n    from c import (d,\nclass K: pass\n//- b.py\n//- c.py\n",
        "a.py",
        "b.py c.py",
    );
}

#[test]
fn the_docstring_describes_the_module() {
    let report = map_of(
        "//- a.py\n#!/usr/bin/env python\n\"\"\"Reads things. Then more.\"\"\"\nimport os\n",
    );
    let node = report.graph.node(report.graph.index_of("a.py").unwrap());
    assert_eq!(node.description.as_deref(), Some("Reads things."));
    assert_eq!(node.language.as_str(), "py");
}

#[test]
fn circles_of_imports_end() {
    check_edges(
        "//- p/__init__.py\nfrom .a import *\n//- p/a.py\nfrom .b import *\n//- p/b.py\nfrom .a import *\n//- use.py\nfrom p import Nope\n",
        &[
            "p/__init__.py -> p/a.py runtime",
            "p/a.py -> p/b.py runtime",
            "p/b.py -> p/a.py runtime",
            "use.py -> p/__init__.py runtime",
        ],
    );
}

#[test]
fn what_a_virtual_environment_holds_is_a_file_of_its_project() {
    let fixture = "//- app/a.py\nimport flask\nfrom flask.json import tag\nimport yaml, numpy\n\
         //- .gitignore\n.venv\n//- .venv/pyvenv.cfg\n\
         //- .venv/lib/python3.13/site-packages/flask/__init__.py\n\
         //- .venv/lib/python3.13/site-packages/flask/json/tag.py\n\
         //- .venv/lib/python3.13/site-packages/Flask-3.1.0.dist-info/METADATA\n\
         //- .venv/lib/python3.13/site-packages/yaml/__init__.py\n\
         //- .venv/lib/python3.13/site-packages/PyYAML-6.0.dist-info/top_level.txt\n_yaml\nyaml\n";
    let map = map_of(fixture);
    let targets: Vec<String> = map.graph.nodes().iter().map(|node| node.id.to_string()).collect();
    assert_eq!(
        targets.join(" "),
        ".gitignore .stan/context/pypi/Flask/3.1.0/flask/__init__.py \
         .stan/context/pypi/Flask/3.1.0/flask/json/tag.py .stan/context/pypi/PyYAML/6.0/yaml/__init__.py \
         app/a.py numpy"
    );
}

#[test]
fn a_module_that_is_built_from_a_crate_leads_to_its_library() {
    let crate_files =
        "//- Cargo.toml\n[package]\nname = \"fast-core\"\n//- src/lib.rs\npub fn go() {}\n";
    let maturin = "//- pyproject.toml\n[build-system]\nbuild-backend = \"maturin\"\n[tool.maturin]\npython-source = \"python\"\n";
    check_edges(
        &format!(
            "{crate_files}{maturin}module-name = \"fast._core\"\n//- python/fast/__init__.py\nfrom ._core import go\n\
             //- python/fast/a.py\nfrom fast import _core\nimport fast._core\nimport other\n//- python/fast/sub/b.py\nfrom .. import _core\n"
        ),
        &[
            "python/fast/__init__.py -> src/lib.rs runtime",
            "python/fast/a.py -> other runtime",
            "python/fast/a.py -> src/lib.rs runtime",
            "python/fast/sub/b.py -> src/lib.rs runtime",
        ],
    );
    // Without a name, the library's name counts, inside the package of that name if there is one.
    check_edges(
        &format!("{crate_files}{maturin}//- use.py\nimport fast_core\n"),
        &["use.py -> src/lib.rs runtime"],
    );
    check_edges(
        &format!(
            "{crate_files}{maturin}//- python/fast_core/__init__.py\nfrom .fast_core import go\n//- python/fast_core/_stub.py\n//- use.py\nimport fast_core\n"
        ),
        &[
            "python/fast_core/__init__.py -> src/lib.rs runtime",
            "use.py -> python/fast_core/__init__.py runtime",
        ],
    );
    let setuptools = "//- pyproject.toml\n[[tool.setuptools-rust.ext-modules]]\ntarget = \"p._x\"\npath = \"../out/Cargo.toml\"\n";
    check_edges(
        &format!("{crate_files}{setuptools}//- p.py\nimport p._x\n"),
        &["p.py -> p._x runtime"],
    );
}

#[test]
fn a_name_that_goes_through_very_many_modules_that_take_each_other_in_is_told() {
    let stars: String = (0..300).map(|at| format!("from m{at:03} import *\n")).collect();
    let modules = (0..300).map(|at| format!("//- m{at:03}.py\nfrom hub import *\nn{at} = 1\n"));
    let modules: String = modules.collect();
    let fixture =
        |text: &str| format!("//- hub.py\n{stars}{modules}//- user.py\nimport hub\nhub.{text}\n");
    check_notices(&fixture("n299"), &["CTX-GRAPH-0004 user.py"]);
    check_notices(&fixture("n3"), &[]);
    check_notices(&fixture("nobody"), &[]);
}

#[test]
fn every_branch_counts_and_folders_without_a_module_of_their_own_are_packages_too() {
    check_edges(
        "//- a.py\nimport sys\ntry:\n    import fast\nexcept ImportError:\n    import slow\nif sys.version_info > (3, 9):\n    import new; import old as o\n\
         class C:\n    def f(self):\n        from space.inner import thing\n        from space import inner\n//- fast.py\n//- slow.py\n//- new.py\n//- old.py\n//- space/inner.py\nthing = 1\n",
        &[
            "a.py -> fast.py runtime",
            "a.py -> new.py runtime",
            "a.py -> old.py runtime",
            "a.py -> python:sys runtime",
            "a.py -> slow.py runtime",
            "a.py -> space/inner.py runtime",
        ],
    );
}

#[test]
fn a_star_brings_what_all_lists_or_what_has_no_line_in_front() {
    check_edges(
        "//- p/__init__.py\nfrom .one import *\nfrom .two import *\n//- p/one.py\n__all__ = ['A']\nA = B = _C = 1\n//- p/two.py\nA = B = _C = 1\n\
         //- use.py\nfrom p import A, B, _C\n//- q/__init__.py\nfrom .more import *\n//- q/more.py\nfrom .deep import *\n__all__ = ['x']\n__all__.extend(deep.__all__)\n//- q/deep.py\n__all__ = ['D']\nD = 1\n//- other.py\nfrom q import D\n",
        &[
            "other.py -> q/__init__.py runtime",
            "other.py ~> q/deep.py runtime",
            "p/__init__.py -> p/one.py runtime",
            "p/__init__.py -> p/two.py runtime",
            "q/__init__.py -> q/more.py runtime",
            "q/more.py -> q/deep.py runtime",
            "use.py -> p/__init__.py runtime",
            "use.py ~> p/one.py runtime",
            "use.py ~> p/two.py runtime",
        ],
    );
}

#[test]
fn notebooks_lead_to_the_modules_that_their_cells_import() {
    let cell = r#"{"cells": [{"cell_type": "code", "source": ["%load_ext x\n", "from tools import clean\n", "clean()"]}]}"#;
    let files = format!("//- nb/a.ipynb\n{cell}\n//- tools.py\ndef clean(): pass\n");
    check_edges(&files, &["nb/a.ipynb -> tools.py runtime"]);
}

#[test]
fn what_a_notebook_runs_is_a_file_that_it_uses() {
    let cell = r#"{"cells": [{"cell_type": "code", "source": ["%run ../tools.py\\n", "%run ./load\\n", "%run 'more.ipynb'\\n", "clean()"]}]}"#;
    let empty = r#"{"cells": [{"cell_type": "code", "source": ["def loaded(): pass"]}]}"#;
    let files = format!(
        "//- nb/a.ipynb\n{cell}\n//- nb/load.ipynb\n{empty}\n//- nb/more.ipynb\n{empty}\n//- tools.py\ndef clean(): pass\n"
    );
    check_edges(
        &files,
        &[
            "nb/a.ipynb -> nb/load.ipynb runtime",
            "nb/a.ipynb -> nb/more.ipynb runtime",
            "nb/a.ipynb -> tools.py runtime",
        ],
    );
}
