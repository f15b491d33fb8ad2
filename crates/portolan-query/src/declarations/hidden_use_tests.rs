//! Uses that stand where a name alone does not tell them: in texts, comments and attributes, behind interfaces that are
//! satisfied without a name, and in files that import nothing of the declaration.

use super::account_tests::{check, users_in};

#[test]
fn interfaces_are_satisfied_without_a_name() {
    let protocol = "//- a.py\nfrom typing import Protocol\n\nclass Store(Protocol):\n    def put(self, x: int) -> None: ...\n\nclass Mem:\n    def put(self, x: int) -> None: ...\n\ndef use(s: Store):\n    s.put(1)\n";
    check(protocol, "a.py#Mem.put", "~a.py:10(Store.put)");
    check(protocol, "a.py#Store.put", "a.py:10");
    let protocol_2files = "//- proto.py\nfrom typing import Protocol\nclass Closer(Protocol):\n    def close_it(self) -> None: ...\ndef run(c: Closer):\n    c.close_it()\n//- mem.py\nclass Mem:\n    def close_it(self) -> None: ...\n//- main.py\nfrom proto import run\nfrom mem import Mem\nrun(Mem())\n";
    check(protocol_2files, "mem.py#Mem.close_it", "~proto.py:5(Closer.close_it)");
    let abc_register = "//- a.py\nfrom abc import ABC, abstractmethod\nclass Shape(ABC):\n    @abstractmethod\n    def area(self): ...\n//- b.py\nfrom a import Shape\nclass Sq:\n    def area(self): return 1\nShape.register(Sq)\ndef f(s: Shape):\n    return s.area()\n";
    check(abc_register, "b.py#Sq.area", "~b.py:6(Shape.area)");
    let register_decorator = "//- a.py\nfrom abc import ABC\nclass Shape(ABC):\n    def area(self): ...\ndef f(s: Shape):\n    return s.area()\n//- b.py\nfrom a import Shape\n@Shape.register\nclass Sq:\n    def area(self): return 1\n";
    check(register_decorator, "b.py#Sq.area", "~a.py:5(Shape.area)");
    let iface_other_pkg = "//- go.mod\nmodule a\n//- i/i.go\npackage i\n\ntype Runner interface{ Zrun() }\n\nfunc Do(r Runner) { r.Zrun() }\n//- m/m.go\npackage m\n\ntype T struct{}\n\nfunc (T) Zrun() {}\n//- main.go\npackage main\n\nimport (\n\t\"a/i\"\n\t\"a/m\"\n)\n\nfunc main() { i.Do(m.T{}) }\n";
    check(iface_other_pkg, "m/m.go#T.Zrun", "~i/i.go:5(Runner.Zrun)");
    let structural = "//- store.ts\nexport interface Store { put(x: number): void; size(): number }\nexport function run(s: Store) { s.put(1) }\n//- mem.ts\nexport class Mem {\n  put(x: number) {}\n  size() { return 1 }\n}\n//- main.ts\nimport { run } from './store'\nimport { Mem } from './mem'\nrun(new Mem())\n";
    check(structural, "mem.ts#Mem.put", "~store.ts:2(Store.put)");
    let structural_object = "//- store.ts\nexport interface Store { put(x: number): void; size(): number }\nexport function run(s: Store) { s.put(1) }\n//- main.ts\nimport { run } from './store'\nexport const mem = {\n  put(x: number) {},\n  size() { return 1 },\n}\nrun(mem)\nrun({ put() {}, size: () => 1 })\n";
    check(structural_object, "main.ts#mem.put", "~main.ts:7(Store.put) ~store.ts:2(Store.put)");
}

#[test]
fn a_value_may_come_to_a_file_that_imports_nothing_of_it() {
    let callback = "//- m.py\nclass Foo:\n    def zgo(self): ...\n//- reg.py\nHANDLERS = []\ndef register(h): HANDLERS.append(h)\ndef fire():\n    for h in HANDLERS:\n        h.zgo()\n//- main.py\nfrom m import Foo\nfrom reg import register\nregister(Foo())\n";
    check(callback, "m.py#Foo.zgo", "~reg.py:5");
    let plugin_none = "//- m.py\nclass Foo:\n    def zgo(self): ...\n//- reg.py\nclass Manager:\n    plugins: list = []\n    def fire(self):\n        for h in self.plugins:\n            h.zgo()\n";
    check(plugin_none, "m.py#Foo.zgo", "~reg.py:5");
    let any_unreached = "//- a.ts\nexport class Foo { zgo() {} }\n//- b.ts\nexport function f(x: any) { x.zgo() }\n//- c.ts\nimport { Foo } from './a'\nimport { f } from './b'\nf(new Foo())\n";
    check(any_unreached, "a.ts#Foo.zgo", "~b.ts:1");
}

#[test]
fn a_class_may_use_what_another_base_of_its_heirs_has() {
    let mixin = "//- a.py\nclass Mixin:\n    def f(self):\n        return self.zhelp()\nclass Base:\n    def zhelp(self): ...\nclass Both(Mixin, Base): ...\n";
    check(mixin, "a.py#Base.zhelp", "~a.py:3");
    let mixin2 = "//- mix.py\nclass Mixin:\n    def f(self):\n        return self.zhelp()\n//- base.py\nclass Base:\n    def zhelp(self): ...\n//- both.py\nfrom mix import Mixin\nfrom base import Base\nclass Both(Mixin, Base): ...\n";
    check(mixin2, "base.py#Base.zhelp", "~mix.py:3");
    let metaclass = "//- a.py\nclass Meta(type):\n    def zmeta(cls): ...\nclass A(metaclass=Meta): ...\nA.zmeta()\ndef f(c: type[A]): c.zmeta()\n";
    check(metaclass, "a.py#Meta.zmeta", "~a.py:4 ~a.py:5");
}

#[test]
fn types_in_comments_and_quotes_are_types() {
    let comment = "//- m.py\nclass Foo:\n    def go(self): ...\n//- a.py\nfrom m import Foo\ndef f(x):\n    # type: (Foo) -> None\n    x.go()\ny = None  # type: Foo\nfor i in []:  # type: Foo\n    i.go()\ny.go()\n";
    check(comment, "m.py#Foo", "a.py:3 a.py:5 a.py:6");
    check(comment, "m.py#Foo.go", "a.py:4 a.py:7 a.py:8");
    let type_comment_mod =
        "//- m.py\nclass Foo:\n    pass\n//- a.py\nimport m\nx = []  # type: list[m.Foo]\n";
    check(type_comment_mod, "m.py#Foo", "a.py:2");
    let string_ann = "//- m.py\nclass Foo:\n    def go(self): ...\n//- a.py\nfrom __future__ import annotations\nfrom typing import TYPE_CHECKING, cast\nif TYPE_CHECKING:\n    from m import Foo\ndef f(x: \"Foo\") -> \"list[Foo]\":\n    x.go()\n    y = cast(\"Foo\", x)\n    y.go()\n    z = cast(\"list[Foo]\", x)\n    z[0].go()\n";
    check(string_ann, "m.py#Foo", "a.py:5 a.py:7 a.py:9");
    check(string_ann, "m.py#Foo.go", "a.py:6 a.py:8 a.py:10");
    let typevar = "//- m.py\nclass Foo: ...\n//- a.py\nfrom typing import TypeVar, NewType, Annotated, NamedTuple, TypedDict\nimport typing as t\nfrom m import Foo\nT = TypeVar(\"T\", bound=\"Foo\")\nU = t.TypeVar(\"U\", \"Foo\", int)\nN = NewType(\"N\", \"Foo\")\nP = NamedTuple(\"P\", [(\"x\", \"Foo\")])\nD = TypedDict(\"D\", {\"x\": \"Foo\"})\nA = t.Optional[\"Foo\"]\nB = t.cast(\"Foo\", 1)\n";
    check(typevar, "m.py#Foo", "a.py:4 a.py:5 a.py:6 a.py:7 a.py:8 a.py:9 a.py:10");
}

#[test]
fn members_that_a_text_names_are_possible() {
    let getattr = "//- a.py\nclass Foo:\n    def go(self): ...\ndef f(x: Foo, y):\n    getattr(x, \"go\")()\n    getattr(y, \"go\", None)\n    hasattr(x, \"go\")\n    setattr(x, \"go\", 1)\n";
    check(getattr, "a.py#Foo.go", "~a.py:4 ~a.py:5 ~a.py:6 ~a.py:7");
    let methodcaller = "//- a.py\nfrom operator import attrgetter, methodcaller\nfrom unittest import mock\nclass Foo:\n    size = 1\n    def zogo(self): ...\ndef f(all: list[Foo]):\n    sorted(all, key=attrgetter(\"size\"))\n    methodcaller(\"zogo\")(all[0])\n    mock.patch.object(Foo, \"zogo\")\n    mock.patch(\"a.Foo.zogo\")\n";
    check(methodcaller, "a.py#Foo.zogo", "~a.py:8 ~a.py:9 ~a.py:10");
    let all_dict = "//- a.py\nclass Foo:\n    __slots__ = (\"size\",)\n    size: int\n    def __getattr__(self, n): ...\nf = Foo()\nf.__dict__[\"size\"]\nvars(f)[\"size\"]\n";
    check(all_dict, "a.py#Foo.size", "~a.py:6 ~a.py:7");
    let cases = "//- a.py\nimport enum\nclass K(enum.Enum):\n    ONE = 1\n    TWO = 2\ndef f(k: K, s):\n    match k:\n        case K.ONE: ...\n    K[\"ONE\"]\n    getattr(K, s).ONE\n    return [x.TWO for x in K]\n";
    check(cases, "a.py#K.ONE", "a.py:7 ~a.py:8 ~a.py:9");
    let mock = "//- a.ts\nexport class A { zgo() {} }\nexport function zrun() {}\n//- a.test.ts\nimport * as mod from './a'\nimport { A } from './a'\nvi.spyOn(mod, 'zrun')\njest.spyOn(A.prototype, 'zgo')\nvi.mock('./a', () => ({ zrun: vi.fn() }))\nReflect.get(new A(), 'zgo')\n";
    check(mock, "a.ts#zrun", "~a.test.ts:3 ~a.test.ts:5");
    check(mock, "a.ts#A.zgo", "~a.test.ts:4 ~a.test.ts:6");
    let reflect = "//- src/main/java/a/A.java\npackage a;\n/** See {@link #zgo()} and {@link B#zrun}. @see B#zrun() */\npublic class A {\n    public void zgo() {}\n}\n//- src/main/java/a/B.java\npackage a;\npublic class B {\n    public int zfield;\n    /** {@link A#zgo} */\n    public void zrun() throws Exception {\n        A.class.getMethod(\"zgo\").invoke(new A());\n        B.class.getDeclaredField(\"zfield\");\n        Class.forName(\"a.A\");\n        Runnable r = new A()::zgo;\n        java.util.function.Consumer<A> c = A::zgo;\n    }\n}\n";
    check(
        reflect,
        "src/main/java/a/A.java#A.zgo",
        "~src/main/java/a/B.java:6 src/main/java/a/B.java:9 src/main/java/a/B.java:10",
    );
    check(reflect, "src/main/java/a/B.java#B.zfield", "~src/main/java/a/B.java:7");
    let attr = "//- Cargo.toml\n[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\nmod ser;\nuse serde::Serialize;\nfn zdef() -> u8 { 1 }\nfn zskip(x: &u8) -> bool { true }\nfn zparse(s: &str) -> Result<u8, String> { Ok(1) }\n#[derive(Serialize)]\nstruct A {\n    #[serde(with = \"ser\", default = \"zdef\", skip_serializing_if = \"zskip\")]\n    x: u8,\n    #[serde(serialize_with = \"ser::zput\")]\n    y: u8,\n    #[arg(value_parser = zparse, default_value_t = zdef())]\n    z: u8,\n    #[serde(default = \"crate::zdef\")]\n    w: u8,\n}\n//- src/ser.rs\npub fn serialize() {}\npub fn zput() {}\n";
    check(attr, "src/lib.rs#zdef", "~src/lib.rs:8 src/lib.rs:12 ~src/lib.rs:14");
    check(attr, "src/lib.rs#zskip", "~src/lib.rs:8");
    check(attr, "src/ser.rs#zput", "~src/lib.rs:10");
}

#[test]
fn patterns_and_copies_name_fields() {
    let dataclass = "//- a.py\nfrom dataclasses import dataclass, replace, field\n@dataclass\nclass P:\n    xpos: int\n    ypos: int = field(default=1)\ndef f(p: P):\n    q = replace(p, xpos=2)\n    match q:\n        case P(xpos=1, ypos=b):\n            return b\n    return P(xpos=1).xpos\n";
    check(dataclass, "a.py#P.xpos", "a.py:7 a.py:9 a.py:11");
    check(dataclass, "a.py#P.ypos", "a.py:9");
    let namedtuple = "//- a.py\nfrom typing import NamedTuple\nfrom collections import namedtuple\nclass P(NamedTuple):\n    xpos: int\ndef f(p: P):\n    p._replace(xpos=1)\n    return p.xpos\n";
    check(namedtuple, "a.py#P.xpos", "a.py:6 a.py:7");
}

#[test]
fn the_body_of_a_class_sees_its_names() {
    let inner_func_attr = "//- a.py\ndef f(): ...\nf.zattr = 1\nclass A:\n    zval = 1\n    other = zval\n    def m(self, x=zval): ...\n";
    check(inner_func_attr, "a.py#A.zval", "a.py:5 a.py:6");
    let cases = "//- a.ts\nexport const enum K { ZONE = 1, TWO = ZONE }\nexport enum S { A = 'a', B = K.ZONE }\nexport const m = { [K.ZONE]: 1 }\nexport type T = K.ZONE | `${K.ZONE}`\nimport Z = K.ZONE\nexport { K as Kind }\n//- u.ts\nimport { Kind } from './a'\nKind.ZONE\nKind[Kind.ZONE]\nKind['ZONE']\n";
    check(cases, "a.ts#K.ZONE", "a.ts:1 a.ts:2 a.ts:3 a.ts:4 a.ts:5 u.ts:2 u.ts:3 u.ts:4");
}

#[test]
fn variables_of_types_are_parameters() {
    let generic_stack = "//- a.py\nfrom typing import Generic, TypeVar\nT = TypeVar(\"T\")\nclass El:\n    def on_text(self): ...\nclass Sub(El):\n    def on_text(self): ...\nclass Stack(list[T]):\n    @property\n    def top(self) -> T:\n        return self[-1]\nclass Ctx:\n    def __init__(self):\n        self.stack: Stack[El] = Stack()\n    def run(self):\n        self.stack.top.on_text()\n";
    check(generic_stack, "a.py#El.on_text", "a.py:15");
    check(generic_stack, "a.py#Sub.on_text", "~a.py:15(El.on_text)");
}

#[test]
fn wildcard_imports_lead_to_one_declaration() {
    let star_import = "//- pkg/__init__.py\nfrom .m import *\n//- pkg/m.py\n__all__ = [\"zrun\"]\ndef zrun(): ...\n//- a.py\nfrom pkg import *\nzrun()\n";
    check(star_import, "pkg/m.py#zrun", "a.py:2");
    let reexport = "//- Cargo.toml\n[workspace]\nmembers = [\"core\", \"app\"]\n//- core/Cargo.toml\n[package]\nname = \"my-core\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- core/src/lib.rs\nmod inner;\npub use inner::*;\npub use inner::Zfoo as Zbar;\npub mod prelude { pub use crate::inner::zrun; }\n//- core/src/inner.rs\npub struct Zfoo;\nimpl Zfoo { pub fn zgo(&self) {} }\npub fn zrun() {}\n//- app/Cargo.toml\n[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ncore2 = { package = \"my-core\", path = \"../core\" }\n//- app/src/main.rs\nuse core2::prelude::*;\nuse core2::{self as c, Zbar};\nfn main() {\n    zrun();\n    c::zrun();\n    core2::Zfoo.zgo();\n    Zbar.zgo();\n}\n";
    check(reexport, "core/src/inner.rs#zrun", "app/src/main.rs:4 app/src/main.rs:5");
}

#[test]
fn accessors_that_annotations_make_are_uses_of_the_field() {
    let lombok = "//- src/main/java/a/P.java\npackage a;\nimport lombok.Data;\n@Data\npublic class P {\n    private String zname;\n    private boolean zok;\n    @lombok.Getter private static int zn;\n}\n//- src/main/java/a/U.java\npackage a;\npublic class U {\n    void f(P p) {\n        p.getZname();\n        p.setZname(\"x\");\n        p.isZok();\n        P.builder().zname(\"x\").build();\n    }\n}\n";
    check(
        lombok,
        "src/main/java/a/P.java#P.zname",
        "~src/main/java/a/U.java:4 ~src/main/java/a/U.java:5",
    );
    check(lombok, "src/main/java/a/P.java#P.zok", "~src/main/java/a/U.java:6");
}

#[test]
fn where_only_names_are_read_declarations_and_variables_are_no_uses() {
    let php = "//- src/A.php\n<?php\nnamespace App;\nclass Request {\n    public $zname;\n    public function zgo() { return $this->zname; }\n    public static function zmake(): Request { return new Request(); }\n}\nfunction zname() {}\n//- src/B.php\n<?php\nnamespace App;\nclass Other {\n    public function zgo() {}\n    public function f(Request $Request, $zname) {\n        $Request->zgo();\n        Request::zmake();\n        $zname = 1;\n        zname();\n        call_user_func([$Request, 'zgo']);\n        return $Request->zname;\n    }\n}\n";
    check(php, "src/A.php#Request", "~src/A.php:6 ~src/B.php:5 ~src/B.php:7");
    check(php, "src/A.php#Request.zgo", "~src/B.php:6");
    check(php, "src/A.php#zname", "~src/B.php:9");
    let constant = "//- src/A.php\n<?php\nconst ZLIMIT = 3;\n//- src/B.php\n<?php\nfunction f($ZLIMIT) {\n    return ZLIMIT + $ZLIMIT;\n}\n";
    check(constant, "src/A.php#ZLIMIT", "~src/B.php:3");
    let ruby = "//- a.rb\nclass Foo\n  attr_reader :zname\n  def zgo; zname; end\n  def self.zmake; new; end\nend\nmodule Bar\n  def zgo; end\nend\n//- b.rb\nrequire_relative 'a'\nfoo = Foo.zmake\nfoo.zgo\nfoo.send(:zgo)\nfoo.zname\n[foo].map(&:zgo)\ndef zother; end\nzgo = 1\n";
    check(ruby, "a.rb#Foo.zgo", "~b.rb:3 ~b.rb:4 ~b.rb:6 ~b.rb:8");
    let csharp = "//- A.cs\nnamespace A;\npublic class Foo {\n    public string Zname { get; set; }\n    public void Zgo() {}\n}\npublic interface IBar { void Zgo(); }\npublic class Other { public void Zgo() {} public string Zname { get; set; } }\n//- B.cs\nusing A;\nclass U {\n    void F(Foo foo) {\n        foo.Zgo();\n        var x = new Foo { Zname = \"a\" };\n        nameof(foo.Zname);\n        string Zname = \"\";\n    }\n}\n";
    check(csharp, "A.cs#Foo.Zgo", "~B.cs:4");
    let cpp = "//- a.h\n#pragma once\nclass Foo {\npublic:\n  void zgo();\n  int zsize;\n};\nclass Other { void zgo(); };\nvoid zfree(int x);\n//- a.cpp\n#include \"a.h\"\nvoid Foo::zgo() { zsize = 1; }\nvoid Other::zgo() {}\nvoid zfree(int x) {}\n//- b.cpp\n#include \"a.h\"\nvoid f(Foo &foo, Foo *p) {\n  foo.zgo();\n  p->zgo();\n  auto m = &Foo::zgo;\n  int zsize = foo.zsize;\n  zfree(1);\n}\n";
    check(cpp, "a.h#Foo.zgo", "~b.cpp:3 ~b.cpp:4 ~b.cpp:5");
    check(cpp, "a.h#zfree", "~b.cpp:7");
}

#[test]
fn what_a_class_is_computed_from_may_give_it_members() {
    let computed_base = "//- a.py\nclass Rows:\n    def zfilter(self): ...\nclass Base:\n    @classmethod\n    def of(cls, rows): return type(\"Made\", (cls,), vars(rows))\nclass Manager(Base.of(Rows)):\n    pass\nclass Plain(Base):\n    pass\ndef f(m: Manager, p: Plain):\n    m.zfilter()\n    p.zfilter()\n";
    check(computed_base, "a.py#Rows.zfilter", "~a.py:11");
    let qualified = "//- I.java\npackage a;\npublic class I {\n    void zgo() {}\n    void f(java.util.function.Supplier<I> y) {\n        y.get().zgo();\n    }\n}\n";
    check(qualified, "I.java#I.zgo", "~I.java:5");
    let proxy = "//- u.ts\nexport class A { zgo() {} }\nexport const f = (a: A) => new Proxy(a, {}).zgo()\n";
    check(proxy, "u.ts#A.zgo", "u.ts:2");
}

#[test]
fn names_that_are_written_elsewhere_lead_to_it() {
    let variant = "//- Cargo.toml\n[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\nmod k;\nuse k::Kind::{self, Zone};\npub fn f(k: Kind) -> Kind {\n    match k { Zone => Zone, _ => k }\n}\n//- src/k.rs\npub enum Kind { Zone, Two }\n";
    check(variant, "src/k.rs#Kind.Zone", "src/lib.rs:4");
    let linkname = "//- go.mod\nmodule a\n//- rt/rt.go\npackage rt\n\nfunc znano() int64 { return 1 }\n//- u/u.go\npackage u\n\nimport _ \"unsafe\"\n\n//go:linkname znano a/rt.znano\nfunc znano() int64\n\nfunc f() int64 { return znano() }\n";
    check(linkname, "rt/rt.go#znano", "~u/u.go:5");
    let pyi = "//- m.pyi\ndef zrun() -> int: ...\n//- m.py\ndef zrun(): return 1\n//- a.py\nfrom m import zrun\nzrun()\n";
    check(pyi, "m.pyi#zrun", "a.py:2");
    check(pyi, "m.py#zrun", "a.py:2");
    let ext = "//- src/main/kotlin/a/A.kt\npackage a\nclass A(val zname: String) {\n    companion object {\n        fun zmake() = A(\"x\")\n        const val ZC = 1\n    }\n    fun zgo() {}\n    operator fun plus(o: A) = this\n}\nfun A.zext(): Int = 1\nval A.zprop: Int get() = 2\ninfix fun A.zinf(o: A) = 1\nobject Single { fun zone() {} }\n//- src/main/kotlin/b/U.kt\npackage b\nimport a.*\nimport a.A.Companion.zmake\nimport a.zext as ze\nfun f(x: A) {\n    x.zext()\n    x.ze()\n    x.zprop\n    x zinf x\n    A.zmake()\n    zmake()\n    A.ZC\n    A.Companion.ZC\n    Single.zone()\n    with(x) { zgo(); zname }\n    x.apply { zgo() }.also { it.zgo() }\n    listOf(x).map { it.zname }.forEach(::println)\n    listOf(x).forEach(A::zgo)\n    A(zname = \"q\")\n    val (n) = x\n}\n//- src/main/java/b/J.java\npackage b;\nimport a.A;\nimport a.AKt;\nclass J { void f(A a) { a.getZname(); AKt.zext(a); A.Companion.zmake(); a.zgo(); } }\n";
    check(
        ext,
        "src/main/kotlin/a/A.kt#zext",
        "~src/main/kotlin/b/U.kt:4 ~src/main/kotlin/b/U.kt:6 ~src/main/kotlin/b/U.kt:7",
    );
    let augment = "//- a.ts\nexport interface Foo { aa: number }\nexport class K { m() {} }\n//- aug.ts\nimport './a'\ndeclare module './a' {\n  interface Foo { zextra: number }\n  interface K { zplus(): void }\n}\ndeclare global {\n  interface Window { zwin: number }\n  interface Array<T> { zlast(): T }\n  var zglob: number\n}\nexport {}\n//- u.ts\nimport { Foo, K } from './a'\nexport const f = (x: Foo, k: K) => {\n  x.zextra\n  k.zplus()\n  window.zwin\n  globalThis.zglob\n  zglob\n  ;[1].zlast()\n  const l: string[] = []\n  l.zlast()\n}\n";
    check(augment, "aug.ts#zglob", "~u.ts:6 ~u.ts:7");
    check(augment, "aug.ts#Array.zlast", "~u.ts:8 ~u.ts:10");
    let generic = "//- go.mod\nmodule a\n//- a.go\npackage a\n\ntype Num interface{ ~int; Zval() int }\n\ntype List[T any] struct{ zitems []T }\n\nfunc (l *List[T]) Zpush(t T) { l.zitems = append(l.zitems, t) }\n\ntype N int\n\nfunc (n N) Zval() int { return int(n) }\n\nfunc Sum[T Num](xs []T) (r int) {\n\tfor _, x := range xs {\n\t\tr += x.Zval()\n\t}\n\treturn\n}\n\nfunc f() {\n\tl := &List[N]{}\n\tl.Zpush(1)\n\tfor _, it := range l.zitems {\n\t\tit.Zval()\n\t}\n\tm := map[string]*List[N]{\"a\": {zitems: nil}}\n\tm[\"a\"].Zpush(2)\n\tc := make(chan N, 1)\n\t(<-c).Zval()\n\tif v, ok := any(l).(interface{ Zpush(N) }); ok {\n\t\tv.Zpush(1)\n\t}\n\tswitch q := any(l).(type) {\n\tcase *List[N]:\n\t\tq.Zpush(3)\n\t}\n}\n";
    check(generic, "a.go#N.Zval", "~a.go:15(Num.Zval) a.go:24 a.go:29");
}

#[test]
fn documentation_that_names_what_no_code_uses_is_told() {
    let rust = "//- Cargo.toml\n[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\n/// ```\n/// let z = a::zrun(1);\n/// ```\n/// See [`zrun`], and zrun in words.\n/// zrun again\npub fn zrun(x: u8) -> u8 { x }\n";
    let mentions = users_in(rust, "src/lib.rs#zrun").mentions;
    let shown: Vec<String> = mentions.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["src/lib.rs:2", "src/lib.rs:4"]);
}

#[test]
fn arguments_by_name_are_fields_of_a_table_that_is_taken_apart() {
    let options = "//- a.py\nfrom typing import TypedDict, Unpack\nclass Options(TypedDict):\n    zsize: int\ndef connect(**options: Unpack[Options]): ...\ndef other(zsize): ...\nconnect(url=other(zsize=1), zsize=2)\n";
    check(options, "a.py#Options.zsize", "~a.py:6");
}

#[test]
fn an_alias_that_only_a_bundler_knows_may_lead_here() {
    for alias in ["@/lib", "~/lib", "#lib", "$lib/lib", "src/lib"] {
        let fixture = format!(
            "//- src/lib.ts\nexport function ztarget() {{}}\n//- src/use.ts\nimport {{ ztarget }} from '{alias}'\nztarget()\n"
        );
        let found = super::account_tests::users_in(&fixture, "src/lib.ts#ztarget");
        let found = found.users.unwrap_or_default();
        assert!(found.iter().any(|it| it.line == Some(2)), "{alias}: {found:?}");
    }
}

#[test]
fn methods_that_ask_warn_or_assign_are_found_by_their_words() {
    let ruby = "//- a.rb\nclass A\n  def zdone?\n    true\n  end\n  def zname=(v)\n  end\n  def zsave!\n  end\nend\n//- b.rb\nrequire_relative 'a'\nx = A.new\nputs x.zdone?\nx.zname = 3\nx.zsave!\n";
    check(ruby, "a.rb#A.zdone?", "~b.rb:3");
    check(ruby, "a.rb#A.zname=", "~b.rb:4");
    check(ruby, "a.rb#A.zsave!", "~b.rb:5");
}
