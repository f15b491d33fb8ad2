//! Uses of members that a class has over a type of the language, and of names that packages pass on.

use super::account_tests::check;

#[test]
fn a_member_over_one_of_the_language_is_used_through_it() {
    let error = "//- e.ts\nexport class Failed extends Error {\n  message = ''\n  data = 1\n}\nexport class Other extends Failed {}\nclass Third extends TypeError {\n  message = 'x'\n  data = 2\n}\nexport const f = (e: Error, t: Third, o: Other) => e.message + t.message + o.message\nexport const g = (e: Error, t: Third) => t.data\nexport const h = (o: { message: string }) => o.message\n//- far.ts\nexport const f = (e: unknown) => (e as Error).message + new RangeError('x').message\nexport const g = (e: any) => e.message\n";
    check(error, "e.ts#Failed.message", "e.ts:10 ~far.ts:1(Error.message)");
    check(error, "e.ts#Failed.data", "");
    let promise = "//- p.ts\nexport class Later implements Promise<number> {\n  finally() { return this }\n  other() {}\n}\n//- far.ts\nasync function main() {}\nmain().catch(() => 1).finally(() => 2)\n";
    check(promise, "p.ts#Later.finally", "~far.ts:2(Promise.finally)");
    let handler = "//- h.ts\nexport class Handler implements ProxyHandler<object> {\n  set() { return true }\n}\nexport const own: ProxyHandler<object> = { set: () => true }\nexport const map = new Map<string, number>()\nmap.set('a', 1)\n";
    check(handler, "h.ts#Handler.set", "~h.ts:4(ProxyHandler.set)");
}

#[test]
fn python_packages_pass_on_modules_and_stars_of_stars() {
    let module = "//- shop/__init__.py\nfrom .helpers import other\n//- shop/helpers.py\ndef make(): pass\ndef other(): pass\n//- shop/rest.py\ndef late(): pass\n//- other.py\nimport shop.rest\n//- test_a.py\nimport shop, other\nshop.helpers.make()\nshop.rest.late()\n";
    check(module, "shop/helpers.py#make", "test_a.py:2");
    check(module, "shop/rest.py#late", "~test_a.py:3");
    let stars = "//- base/__init__.py\nfrom .fields import *\n//- base/fields.py\nclass Field: pass\n//- geo/__init__.py\nfrom base import *\n//- use.py\nimport geo as models\nx = models.Field()\n";
    check(stars, "base/fields.py#Field", "use.py:2");
    let answering = "//- shop/__init__.py\ndef __getattr__(name): pass\n//- shop/helpers.py\ndef make(): pass\n//- test_a.py\nimport shop\nfrom shop import helpers\nshop.make()\n";
    check(answering, "shop/helpers.py#make", "~test_a.py:3");
}

#[test]
fn the_arguments_of_super_are_uses() {
    let named = "//- a.py\nclass Base:\n    def go(self): pass\nclass Window(Base):\n    def go(self):\n        return super(Window, self).go()\n";
    check(named, "a.py#Window", "a.py:5");
}

#[test]
fn what_a_fixture_makes_is_what_a_test_gets() {
    let made = "//- app.py\nclass Config(dict):\n    pass\nclass Client:\n    def open(self): pass\nclass App:\n    def get(self): pass\n    config = Config()\n    def client(self) -> Client: ...\nclass Session:\n    def update(self): pass\n//- conftest.py\nimport pytest\nfrom app import App\n@pytest.fixture\ndef app():\n    app = App()\n    return app\n@pytest.fixture\ndef client(app):\n    return app.client()\n//- test_a.py\nfrom app import Session\ndef test_it(app, client, other):\n    app.config.update()\n    client.get()\n    app.get()\n    other.update()\n";
    check(made, "app.py#App.get", "~test_a.py:5");
    check(made, "app.py#Session.update", "~test_a.py:6");
}

#[test]
fn entering_a_context_gives_what_its_class_says() {
    let raises = "//- a.py\nclass Trace:\n    def cut(self) -> 'Trace': ...\nclass Info:\n    @property\n    def trace(self) -> Trace: ...\nclass Raises:\n    def __enter__(self) -> Info: ...\nclass Base:\n    def __enter__(self):\n        return self\nclass Sub(Base):\n    def own(self): pass\ndef f(r: Raises):\n    with r as info:\n        info.trace.cut()\n    with Sub() as sub:\n        sub.own()\n";
    check(raises, "a.py#Trace.cut", "a.py:15");
    check(raises, "a.py#Sub.own", "a.py:17");
}

#[test]
fn a_class_that_is_a_value_makes_instances() {
    let made = "//- a.py\nclass Query:\n    def all(self):\n        return self.clone()\n    def clone(self):\n        return self.__class__()\n    def both(self):\n        return type(self)().all(\n        ).all()\ndef f(kind: type[Query]):\n    made = kind()\n    made.all()\n";
    check(made, "a.py#Query.all", "a.py:7 a.py:8 a.py:11");
}

#[test]
fn alternatives_that_lead_to_one_member_leave_no_doubt() {
    let branch = "//- a.py\nclass Trace:\n    def cut(self) -> 'Trace': ...\ndef f(trace: Trace):\n    cut = trace.cut()\n    if cut == trace:\n        cut = cut.cut()\n    cut.cut()\n";
    check(branch, "a.py#Trace.cut", "a.py:4 a.py:6 a.py:7");
}

#[test]
fn java_heads_and_labels_see_what_is_in_sight() {
    let head = "//- a/Builder.java\npackage a;\npublic interface Builder<T> {}\n//- a/Diff.java\npackage a;\npublic class Diff<T> implements Builder<T> {\n    public static class Builder<T> {}\n    Builder<String> made;\n}\n";
    check(head, "a/Builder.java#Builder", "a/Diff.java:2");
    let label = "//- a/Reader.java\npackage a;\nclass Reader {\n    static final int LONG = 1;\n    int peek() { return 1; }\n    void read() {\n        switch (peek()) {\n            case LONG:\n                break;\n        }\n    }\n}\n";
    check(label, "a/Reader.java#Reader.LONG", "a/Reader.java:7");
    let kinds = "//- a/Color.java\npackage a;\nenum Color { RED }\n//- a/Use.java\npackage a;\nclass Use {\n    static final int RED = 1;\n    void f(Color color) {\n        switch (color) {\n            case RED:\n        }\n    }\n}\n";
    check(kinds, "a/Color.java#Color.RED", "a/Use.java:6");
}

#[test]
fn a_literal_has_its_members_whatever_type_is_written() {
    let table = "//- a.ts\nexport const WIDTH: Record<string, number> = {\n  thin: 1,\n  medium: 2,\n}\nexport const OTHER: Record<string, number> = { medium: 3 }\n//- b.ts\nimport { WIDTH, OTHER } from './a'\nexport const f = WIDTH.medium\nexport const g = OTHER.medium\n";
    check(table, "a.ts#WIDTH.medium", "~b.ts:2");
}

#[test]
fn a_function_may_use_and_assign_a_variable_of_its_file() {
    let global = "//- a.py\n_version = ''\nclass Made:\n    def go(self): pass\nmade = None\ndef f():\n    global _version\n    if not _version:\n        _version = 'x'\n    return _version\ndef g():\n    global made\n    made = Made()\ndef h():\n    made.go()\n";
    check(global, "a.py#_version", "a.py:6 a.py:7 a.py:8 a.py:9");
    check(global, "a.py#Made.go", "a.py:14");
}
