//! Tests the resolution of Go imports.

use portolan_testkit::{check_edges, check_notices, check_targets, edges_of, map_of};
use portolan_types::NoticeCode;

#[test]
fn an_import_leads_to_the_files_that_define_what_is_used() {
    check_edges(
        "//- go.mod\nmodule example.com/m\n//- main.go\npackage main\nimport (\n\t\"fmt\"\n\t\"example.com/m/store\"\n\tu \"example.com/m/internal/util\"\n)\n\
         func main() { fmt.Println(store.Open(u.Name)) }\n\
         //- store/open.go\npackage store\nfunc Open(n string) int { return limit }\n//- store/limit.go\npackage store\nconst limit = 1\nfunc Unused() {}\n\
         //- internal/util/a.go\npackage util\nvar Name = \"x\"\n//- internal/util/b.go\npackage util\nvar Other = 1\n",
        &[
            "main.go -> go:fmt runtime",
            "main.go -> internal/util/a.go runtime",
            "main.go -> store/open.go runtime",
            "store/open.go ~> store/limit.go runtime",
        ],
    );
}

#[test]
fn blank_and_dot_imports_and_every_platform_count() {
    check_edges(
        "//- go.mod\nmodule m.x/y\n//- a.go\npackage a\nimport _ \"m.x/y/drivers\"\nimport . \"m.x/y/dsl\"\nimport \"m.x/y/os\"\nvar x = Describe(os.Path)\n\
         //- drivers/reg.go\npackage drivers\nfunc init() {}\n//- drivers/other.go\npackage drivers\n//- dsl/dsl.go\npackage dsl\nfunc Describe(any) int { return 0 }\n\
         //- dsl/more.go\npackage dsl\n//- os/p_linux.go\npackage os\nconst Path = 1\n//- os/p_windows.go\npackage os\nconst Path = 2\n",
        &[
            "a.go -> drivers/reg.go runtime",
            "a.go -> dsl/dsl.go runtime",
            "a.go -> os/p_linux.go runtime",
            "a.go -> os/p_windows.go runtime",
        ],
    );
}

#[test]
fn files_for_one_system_do_not_lead_to_those_for_another() {
    check_edges(
        "//- go.mod\nmodule m\n//- a_linux.go\npackage m\nimport \"m/os\"\nvar x = os.Path + own\n//- b_linux.go\npackage m\nconst own = 1\n//- b_windows.go\npackage m\nconst own = 2\n\
         //- b_plain.go\npackage m\nvar y = own\n//- os/p_linux.go\npackage os\nconst Path = 1\n//- os/p_windows.go\npackage os\nconst Path = 2\n",
        &[
            "a_linux.go ~> b_linux.go runtime",
            "a_linux.go -> os/p_linux.go runtime",
            "b_plain.go ~> b_linux.go runtime",
            "b_plain.go ~> b_windows.go runtime",
        ],
    );
}

#[test]
fn modules_replacements_workspaces_and_vendored_packages_are_found() {
    check_targets(
        "//- go.mod\nmodule a.b/c\nrequire (\n\tgithub.com/x/y v1.0.0\n\tgithub.com/q/r v1.0.0\n)\nreplace github.com/x/y => ./fork\n\
         //- main.go\npackage main\nimport \"github.com/x/y/z\"\nimport \"github.com/q/r/s\"\nimport \"v.w/lib\"\nimport \"other.mod/p\"\n\
         var _ = []any{z.A, s.B, lib.C, p.D}\n\
         //- fork/z/z.go\npackage z\nvar A = 1\n//- vendor/v.w/lib/l.go\npackage lib\nvar C = 1\n//- sub/go.mod\nmodule other.mod\n//- sub/p/p.go\npackage p\nvar D = 1\n",
        "main.go",
        "fork/z/z.go ?github.com/q/r sub/p/p.go vendor/v.w/lib/l.go",
    );
}

#[test]
fn names_that_a_block_binds_are_not_the_packages() {
    check_edges(
        "//- go.mod\nmodule m\n//- a.go\npackage m\ntype T struct { name string; Embedded }\nfunc (t T) f(size int) (err error) {\n\
         \tfor i, row := range rows() { _ = i; _ = row }\n\tif key := size; key > 0 { return nil }\n\tv := T{label: 1}\n\t_ = v\n\
         \tm := map[string]int{constant: 1}\n\t_ = m\n\treturn err\n}\n\
         //- b.go\npackage m\nfunc rows() []int { return nil }\nconst constant = \"\"\ntype Embedded struct{}\n\
         //- shadowed.go\npackage m\nvar name, size, err, i, row, key, v, label int\n",
        &["a.go ~> b.go runtime"],
    );
}

#[test]
fn keys_of_maps_are_values_and_keys_of_structs_are_fields() {
    check_edges(
        "//- go.mod\nmodule m\n//- a.go\npackage m\nvar set = map[string]struct{}{one: {}}\nvar mixed = map[string]interface{}{two: 1}\n\
         var deep = map[string]map[string]int{\"k\": {three: 1}}\nvar rows = []struct{ f int }{{f: 1}}\nvar generic = map[string]Box[int]{four: {g: 1}}\n\
         func f(a []int) any {\n\t_ = a[0]\n\treturn Plain{h: 1}\n}\n\
         //- 1.go\npackage m\nconst one = 1\n//- 2.go\npackage m\nconst two = 1\n//- 3.go\npackage m\nconst three = 1\n//- 4.go\npackage m\nconst four = 1\ntype Box[T any] struct{ g T }\ntype Plain struct{ h int }\n\
         //- shadowed.go\npackage m\nvar f, g, h int\n",
        &[
            "a.go ~> 1.go runtime",
            "a.go ~> 2.go runtime",
            "a.go ~> 3.go runtime",
            "a.go ~> 4.go runtime",
        ],
    );
}

#[test]
fn parameters_are_bound_where_the_result_is_a_function() {
    check_edges(
        "//- go.mod\nmodule m\n//- a.go\npackage m\nfunc F(size ...int) func(next T) T {\n\t_ = size\n\treturn nil\n}\n\
         func G(name string) map[string][]func() *T {\n\t_ = name\n\treturn nil\n}\n\
         //- t.go\npackage m\ntype T struct{}\n//- shadowed.go\npackage m\nvar name, size int\n",
        &["a.go ~> t.go runtime"],
    );
}

#[test]
fn a_parameter_may_have_the_name_of_the_package_of_its_type() {
    check_edges(
        "//- go.mod\nmodule m\n//- config/c.go\npackage config\ntype Config struct{}\n//- config/d.go\npackage config\ntype Other struct{}\n//- a/many.go\npackage a\nimport \"m/config\"\nfunc New(config config.Config) (*config.Config, error) { return config.Other, nil }\n\
         //- a/one.go\npackage a\nimport \"m/config\"\nfunc One(config int) *config.Config { return config.Other }\n//- a/method.go\npackage a\nimport \"m/config\"\nfunc (config config.Config) X() {}\n\
         //- a/literal.go\npackage a\nimport \"m/config\"\nvar f = func(config *config.Config) {}\n//- a/generic.go\npackage a\nfunc G[T any, U interface{ Get() T }](f func(x int) T, u U) T { var t T; return t }\n\
         //- a/shadowed.go\npackage a\ntype T int\ntype U int\n",
        &[
            "a/literal.go -> config/c.go runtime",
            "a/many.go -> config/c.go runtime",
            "a/method.go -> config/c.go runtime",
            "a/one.go -> config/c.go runtime",
        ],
    );
}

#[test]
fn what_cgo_brings_is_no_file() {
    check_targets(
        "//- go.mod\nmodule m\n//- a.go\npackage m\n// #include <stdio.h>\nimport \"C\"\nfunc f() { C.puts(nil) }\n//- c.c\n",
        "a.go",
        "go:C",
    );
}

#[test]
fn tests_see_more_than_others() {
    check_edges(
        "//- go.mod\nmodule m\n//- a.go\npackage m\nfunc A() { helper() }\n//- a_test.go\npackage m\nfunc TestA() { helper(); A() }\n\
         //- help_test.go\npackage m\nfunc helper() {}\n//- x_test.go\npackage m_test\nimport \"m\"\nfunc TestX() { m.A() }\n",
        &[
            "a_test.go ~> a.go runtime",
            "a_test.go ~> help_test.go runtime",
            "x_test.go -> a.go runtime",
        ],
    );
}

#[test]
fn embedded_files_are_dependencies() {
    check_targets(
        "//- go.mod\nmodule m\n//- a.go\npackage m\nimport _ \"embed\"\n//go:embed web/*.html static\nvar files any\n\
         //- web/i.html\n//- web/i.css\n//- static/a/b.txt\n//- static/.hidden\n//- other.txt\n",
        "a.go",
        "go:embed static/a/b.txt web/i.html",
    );
    check_targets(
        "//- go.mod\nmodule m\n//- a.go\npackage m\nimport _ \"embed\"\n//go:embed \"sp ace.txt\" `b c.txt` d.txt\nvar files any\n\
         //- sp ace.txt\n//- b c.txt\n//- d.txt\n//- ace.txt\n",
        "a.go",
        "b c.txt d.txt go:embed sp ace.txt",
    );
}

#[test]
fn broken_code_gives_what_can_be_read() {
    check_targets(
        "//- go.mod\nmodule m\n//- a.go\npackage a\nimport \"m/b\"\nfunc broken( {\n\tx := b.One(\nfunc next() { b.Two() }\n\
         //- b/one.go\npackage b\nfunc One() {}\n//- b/two.go\npackage b\nfunc Two() {}\n",
        "a.go",
        "b/one.go b/two.go",
    );
}

#[test]
fn the_package_comment_describes_the_file() {
    let report =
        map_of("//- a.go\n// Copyright X\n\n// Package a reads things. More.\npackage a\n");
    let node = report.graph.node(report.graph.index_of("a.go").unwrap());
    assert_eq!(node.description.as_deref(), Some("Package a reads things."));
}

#[test]
fn what_a_statement_over_several_lines_binds_is_bound_after_it() {
    check_targets(
        "//- go.mod\nmodule m\n//- names.go\npackage m\nconst (\n\tparam = 1\n\trun = 2\n)\n//- a.go\npackage m\nfunc f() {\n\
         \tparam := T{\n\t\tA: 1,\n\t}\n\tparam.X = 1\n\trun := func() {\n\t\tg()\n\t}\n\trun()\n}\n",
        "a.go",
        "",
    );
}

#[test]
fn of_a_package_of_very_many_files_that_is_imported_for_nothing_only_some_are_told() {
    let files: String = (0..70).map(|at| format!("//- p/f{at}.go\npackage p\n")).collect();
    let fixture = format!("//- go.mod\nmodule m\n//- a.go\npackage m\nimport _ \"m/p\"\n{files}");
    check_notices(&fixture, &["CTX-GRAPH-0004 a.go"]);
    assert_eq!(edges_of(&map_of(&fixture).raw).len(), 64);
}

#[test]
fn of_what_very_many_files_of_a_folder_embed_only_some_is_told() {
    let text = |at: usize| format!("//- f{at}.go\npackage m\nimport _ \"embed\"\n//go:embed *\n");
    let files: String = (0..300).map(text).collect();
    let map = map_of(&format!("//- go.mod\nmodule m\n{files}"));
    let cut = map.notices.iter().filter(|it| it.code == NoticeCode::GraphCut).count();
    let embedded = edges_of(&map.raw).iter().filter(|edge| !edge.contains("go:embed")).count();
    assert_eq!((cut, embedded < 70_000), (300, true), "{embedded}");
}

#[test]
fn files_that_no_build_has_both_never_see_each_other() {
    check_edges(
        "//- go.mod\nmodule m\n//- p/open_unix.go\n//go:build unix\n\npackage p\n\nfunc Open() { help() }\n//- p/open_other.go\n// A note.\n\n//go:build !unix\n\npackage p\n\nfunc Open() { help() }\n\
         //- p/help_linux.go\npackage p\n\nfunc help() { Open() }\n//- p/help_windows.go\npackage p\n\nfunc help() { Open() }\n\
         //- main.go\npackage main\n\nimport \"m/p\"\n\nfunc main() { p.Open() }\n//- other.go\n//go:build windows && !cgo\n\npackage main\n\nimport \"m/p\"\n\nvar x = p.Open\n",
        &[
            "main.go -> p/open_other.go runtime",
            "main.go -> p/open_unix.go runtime",
            "other.go -> p/open_other.go runtime",
            "p/help_linux.go ~> p/open_unix.go runtime",
            "p/help_windows.go ~> p/open_other.go runtime",
            "p/open_other.go ~> p/help_windows.go runtime",
            "p/open_unix.go ~> p/help_linux.go runtime",
        ],
    );
}
