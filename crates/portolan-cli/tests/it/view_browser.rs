//! Tests the page of `portolan view` in a real browser: it loads without errors, searches, opens
//! and selects, and its selection equals that of `portolan select`. One browser runs all tests;
//! they are skipped, with a message, if there is none.

use std::fmt::Write as _;

use portolan_testkit::browser::Browser;
use portolan_testkit::random::RandomNumbers;
use portolan_testkit::reliability;
use serde_json::{Value, json};

use crate::support::Repo;

/// Names that contain markup, end a script, or reorder and hide text.
const HOSTILE: [&str; 4] = [
    "src/<img src=x onerror=alert(1)>.ts",
    "src/</script><script>alert(2)</script>.ts",
    "src/\"quoted' & <b>.ts",
    "src/\u{202e}cod\u{200b}.ts",
];

/// Files that import each other in every way, some through a barrel, with packages and missing
/// modules.
fn repository() -> Repo {
    let repo = Repo::new("");
    let mut numbers = RandomNumbers(7);
    let place = |file: usize| ["src", "src/lib/deep", "app/[slug]", "app/(group)"][file % 4];
    for file in 0..40 {
        let mut text = format!("export const v{file} = {file};\nexport type T{file} = number;\n");
        for _ in 0..numbers.below(4) {
            let other = numbers.below(40);
            let path = format!(
                "{}{}/f{other}",
                "../".repeat(place(file).split('/').count()),
                place(other)
            );
            let _ = match numbers.below(4) {
                0 => writeln!(text, "import type {{ T{other} }} from '{path}';"),
                1 => writeln!(text, "export const load{other} = () => import('{path}');"),
                2 => writeln!(
                    text,
                    "import {{ v{other} as w{other} }} from '../{}all';",
                    "../".repeat(place(file).split('/').count() - 1)
                ),
                _ => writeln!(text, "import {{ v{other} as x{other} }} from '{path}';"),
            };
        }
        repo.write(&format!("{}/f{file}.ts", place(file)), text.as_bytes());
    }
    let barrel: String =
        (0..40).map(|file| format!("export * from './{}/f{file}';\n", place(file))).collect();
    repo.write("all.ts", barrel.as_bytes());
    repo.write(
        "src/out.ts",
        b"import 'pkg';\nimport 'node:fs';\nimport './gone';\nimport 'lost';\nimport { v1 } from '../all';\n",
    );
    repo.write(
        "node_modules/pkg/package.json",
        br#"{"name":"pkg","version":"1.0.0","types":"i.d.ts"}"#,
    );
    repo.write("node_modules/pkg/i.d.ts", b"export declare const p: number;\n");
    repo.write("lost/found.ts", b"export {};\n");
    repo.write("pinned/yarn.lock", "left-pad@1.0.0: pinned\n".repeat(400).as_bytes());
    repo.write("pinned/tool.py", b"def tool(): pass\n");
    repo.write("locked/yarn.lock", b"left-pad@1.0.0: pinned\n");
    repo.write("logo.png", &[0x89, b'P', b'N', b'G', 0, 0, 0, 1]);
    for name in HOSTILE {
        repo.write(
            name,
            b"/** @module </script><b onclick=alert(3)> */\nexport const hostile = 1;\n",
        );
    }
    repo
}

struct Scene {
    repo: Repo,
    browser: Browser,
}

impl Scene {
    /// Opens the page of a repository in a browser; `None` if there is no browser.
    fn open(repo: Repo) -> Option<Self> {
        let Some(program) = Browser::find() else {
            reliability::lacking("chromium");
            return None;
        };
        let run = repo.run(&["view", "--out", "../page.html"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let browser = Browser::start(&program, &repo.parent().join("browser"));
        let mut scene = Self { repo, browser };
        scene.browser.open(&scene.repo.parent().join("page.html"));
        assert_eq!(scene.browser.eval("document.body.dataset.ready"), "true");
        Some(scene)
    }

    /// Compares the page's selection with that of `portolan select` for the state that the page
    /// would save.
    #[track_caller]
    fn check_same_as_select(&mut self) {
        let state = self.browser.eval("portolan.state()");
        let state = state.as_str().unwrap();
        self.repo.write(".stan/context/dependency.state.json", state.as_bytes());
        let run = self.repo.run(&["select", "--format", "json"]);
        assert_eq!(run.code, 0, "{state}\n{}", run.stderr);
        let selected: Value = serde_json::from_str(&run.stdout).unwrap();
        let selected = &selected["result"];
        let members = self.browser.eval("portolan.members()");
        assert_eq!(members, selected["selectedNodeIds"], "{state}");
        assert_eq!(self.browser.eval("portolan.tokens()"), selected["tokens"], "{state}");
    }

    #[track_caller]
    fn text(&mut self, selector: &str) -> String {
        let text =
            self.browser.eval(&format!("document.querySelector({}).textContent", json!(selector)));
        text.as_str().unwrap().to_owned()
    }
}

fn lock_files_are_not_what_a_folder_is_made_of(scene: &mut Scene) {
    for (folder, mostly) in [("pinned", "py 100"), ("locked", "lock 100")] {
        scene.browser.eval(&format!(
            "location.hash = '{folder}/'; new Promise((done) => setTimeout(done, 50))"
        ));
        let page = scene.text("#page");
        assert!(page.to_lowercase().contains(&mostly.to_lowercase()), "{folder}: {page}");
    }
    scene.browser.eval("location.hash = ''");
}

/// A state with random files and folders, depths and kinds.
fn random_state(numbers: &mut RandomNumbers, paths: &[String]) -> String {
    let mut entries = |most: usize| -> Vec<Value> {
        let count = numbers.below(most);
        let entry = |_| {
            let path = &paths[numbers.below(paths.len())];
            let depth = [0, 1, 1, 2, 3, 50][numbers.below(6)];
            match numbers.below(3) {
                0 => json!(path),
                1 => json!([path, depth]),
                _ => json!([path, depth, numbers.below(8)]),
            }
        };
        (0..count).map(entry).collect()
    };
    let (include, exclude) = (entries(5), entries(3));
    json!({ "v": 2, "i": include, "x": exclude }).to_string()
}

#[test]
fn the_page_in_a_browser() {
    let Some(mut scene) = Scene::open(repository()) else { return };
    hostile_names_are_text(&mut scene);
    search_finds_and_keys_select(&mut scene);
    search_knows_folders_and_several_words(&mut scene);
    keys_show_edges_and_the_open_file(&mut scene);
    a_zoom_shows_edges_when_it_is_done(&mut scene);
    addresses_that_lead_nowhere_say_so(&mut scene);
    clicks_open_and_select(&mut scene);
    lock_files_are_not_what_a_folder_is_made_of(&mut scene);
    states_select_what_select_does(&mut scene);
    every_size_and_theme_shows_something(&mut scene);
    narrow_screens_show_what_was_opened(&mut scene);
    assert_eq!(scene.browser.complaints(), [""; 0]);
}

fn hostile_names_are_text(scene: &mut Scene) {
    for name in HOSTILE {
        scene.browser.eval(&format!("location.hash = encodeURIComponent({})", json!(name)));
        scene.browser.eval("new Promise((done) => setTimeout(done, 50))");
        let last = name.rsplit('/').next().unwrap();
        assert_eq!(scene.text("#page h2"), portolan_types::escape_invisible(last));
        assert_eq!(scene.text("#page .description"), "</script><b onclick=alert(3)>");
    }
    let foreign =
        scene.browser.eval("document.querySelectorAll('img, b, [onclick], [onerror]').length");
    assert_eq!(foreign, 0);
    assert_eq!(scene.browser.eval("document.scripts.length"), 2);
    scene.browser.eval("location.hash = ''");
}

fn search_finds_and_keys_select(scene: &mut Scene) {
    let browser = &mut scene.browser;
    browser.press("/");
    assert_eq!(browser.eval("document.activeElement.id"), "search");
    browser.type_text("f12.ts");
    assert_eq!(scene.text("#row-0 .label bdi"), "f12.ts");
    scene.browser.press("Enter");
    assert_eq!(scene.text("#page h2"), "f12.ts");
    assert!(scene.text("#page").contains("Declares"), "{}", scene.text("#page"));
    scene.browser.press(" ");
    scene.browser.press("+");
    scene.browser.press("+");
    let state = scene.browser.eval("portolan.state()");
    assert_eq!(state, "{ \"v\": 2, \"i\": [\n  [\"src/f12.ts\", 2]\n] }\n");
    scene.check_same_as_select();
    let tokens = scene.browser.eval("portolan.tokens()").as_f64().unwrap();
    assert_eq!(scene.text("#tokens").replace(',', ""), tokens.to_string());
    // A declaration's name leads to its file; Escape leads back to the tree.
    scene.browser.press("Escape");
    scene.browser.press("/");
    scene.browser.type_text("load");
    assert!(scene.text("#found").ends_with(" found"), "{}", scene.text("#found"));
    assert!(scene.text("#row-0 .label em").starts_with("load"));
    scene.browser.press("Escape");
    assert_eq!(scene.browser.eval("document.activeElement.getAttribute('role')"), "tree");
    for key in ["ArrowDown", "ArrowRight", "ArrowDown", "x"] {
        scene.browser.press(key);
    }
    assert_eq!(
        scene.browser.eval("document.querySelectorAll('.row[data-state=excluded]').length"),
        1
    );
    scene.check_same_as_select();
    scene.browser.eval("portolan.load('{\"v\":2,\"i\":[]}')");
}

fn search_knows_folders_and_several_words(scene: &mut Scene) {
    let mut first = |words: &str| {
        scene.browser.press("/");
        scene.browser.type_text(words);
        let first = scene.text("#row-0 .label bdi");
        scene.browser.press("Escape");
        first
    };
    assert_eq!(first("lib"), "lib/deep/");
    // Finds a declaration by its name and its path.
    assert_eq!(first("slug v2"), "v2");
    assert_eq!(first("v2 slug"), "v2");
    assert_eq!(first("src out"), "out.ts");
}

/// The number of drawn pixels of the overlay.
const DRAWN: &str = "(() => { const over = document.getElementById('over'); \
    const { data } = over.getContext('2d').getImageData(0, 0, over.width, over.height); \
    return data.filter((part, at) => at % 4 === 3 && part > 0).length; })()";

fn keys_show_edges_and_the_open_file(scene: &mut Scene) {
    let settle = "new Promise((done) => setTimeout(done, 300))";
    scene.browser.eval("location.hash = ''");
    scene.browser.eval("location.hash = 'src/'");
    scene.browser.eval(settle);
    let name = |scene: &mut Scene| scene.text("#readout strong");
    // The keyboard opens it although it is outside the drawn folder.
    scene.browser.press("/");
    scene.browser.type_text("f10.ts");
    scene.browser.press("Enter");
    scene.browser.eval(settle);
    assert_eq!(name(scene), "f10.ts");
    assert!(scene.text("#readout").contains("imported by"));
    let drawn = scene.browser.eval(DRAWN).as_u64().unwrap();
    assert!(drawn > 100, "{drawn} points of an outline and edges");
    // After the search, the tree is at the opened file; moving on shows the next one.
    scene.browser.press("Escape");
    assert_eq!(scene.text(".row[aria-selected=true] .label bdi"), "f10.ts");
    assert_eq!(name(scene), "f10.ts");
    scene.browser.press("ArrowDown");
    let next = scene.text(".row[aria-selected=true] .label bdi");
    assert!(next != "f10.ts" && name(scene) == next, "{next}");
    // A mouse outside the picture does not change the choice.
    scene.browser.hover(700.0, 400.0);
    scene.browser.hover(2.0, 2.0);
    assert_eq!(name(scene), next);
}

/// Edges are not drawn during a zoom: those of a large folder take longer than a frame.
fn a_zoom_shows_edges_when_it_is_done(scene: &mut Scene) {
    for place in ["''", "'src/'", "'src/out.ts'"] {
        scene.browser.eval(&format!(
            "location.hash = {place}; new Promise((done) => setTimeout(done, 400))"
        ));
    }
    // It leads out of the drawn folder.
    let curves = scene.browser.eval(
        "(() => { const canvas = CanvasRenderingContext2D.prototype, own = canvas.quadraticCurveTo; let curves = 0; \
         canvas.quadraticCurveTo = function (...places) { curves++; return own.apply(this, places); }; \
         document.querySelector('#page button.link[title=\"all.ts\"]').click(); \
         const first = curves; return new Promise((done) => setTimeout(() => { \
         canvas.quadraticCurveTo = own; done([first, curves]); }, 800)); })()",
    );
    assert_eq!(curves[0], 0, "{curves}");
    assert!(curves[1].as_u64().unwrap() > 0, "{curves}");
}

fn addresses_that_lead_nowhere_say_so(scene: &mut Scene) {
    for (address, shown) in [
        ("%", "%"),
        ("docs/100%.md", "docs/100%.md"),
        ("nope", "nope"),
        ("%E4%20x", "%E4%20x"),
        ("src%2Fout.ts", "out.ts"),
    ] {
        // Another query is another document, so the page reloads.
        let query = address.bytes().map(u64::from).sum::<u64>();
        let page = format!("page.html?{query}#{address}");
        scene.browser.open(&scene.repo.parent().join(page));
        assert_eq!(scene.browser.eval("document.body.dataset.ready"), "true", "{address}");
        assert_eq!(scene.text("#page h2"), shown);
    }
    scene.browser.eval("location.hash = 'gone'; new Promise((done) => setTimeout(done, 50))");
    assert!(scene.text("#page").contains("no file and no folder of that name"));
    scene.browser.click_on("#page .actions button", 0);
    assert_eq!(scene.text("#page h2"), "repo");
}

fn narrow_screens_show_what_was_opened(scene: &mut Scene) {
    scene.browser.size(390, 844);
    scene.browser.eval("location.hash = ''");
    scene.browser.eval("scrollTo(0, 0)");
    let top = "document.querySelector('aside').getBoundingClientRect().top";
    let before = scene.browser.eval(top).as_f64().unwrap();
    assert!(before < 844.0, "the details begin at {before}");
    // The buttons are beside the name, none on a separate line.
    let lines = scene.browser.eval(
        "['name', 'code', 'theme', 'help'].map((id) => document.getElementById(id).getBoundingClientRect()) \
         .every((it, _, all) => it.top < all[0].bottom)",
    );
    assert_eq!(lines, true);
    scene.browser.press("/");
    scene.browser.type_text("f12.ts");
    scene.browser.press("Enter");
    assert_eq!(scene.text("#page h2"), "f12.ts");
    let after = scene.browser.eval(top).as_f64().unwrap();
    assert!(after.abs() < 300.0, "what was opened begins at {after}");
    scene.browser.size(1440, 900);
}

fn clicks_open_and_select(scene: &mut Scene) {
    // The box before a folder's name. `app` contains a folder whose name is a pattern.
    scene.browser.click_on(".row[title=\"app\"] .box", 0);
    assert_eq!(scene.browser.eval("portolan.members().length"), 20);
    scene.check_same_as_select();
    scene.browser.eval("portolan.load('{\"v\":2,\"i\":[\"app/[slug]\"]}')");
    assert_eq!(scene.browser.eval("portolan.members().length"), 10);
    scene.check_same_as_select();
    // A folder is distinguished from a missing module of the same name.
    scene.browser.click_on(".row[title=\"lost/\"] .box", 0);
    assert_eq!(scene.browser.eval("portolan.members().includes('lost/found.ts')"), true);
    scene.check_same_as_select();
    scene.browser.eval("portolan.load('{\"v\":2,\"i\":[]}')");
    // In the picture: pointing shows edges, Shift-click selects, a click opens.
    let canvas = scene.browser.eval("(() => { const b = document.getElementById('over').getBoundingClientRect(); return [b.x, b.y]; })()");
    let (x, y) = (canvas[0].as_f64().unwrap() + 12.0, canvas[1].as_f64().unwrap() + 60.0);
    scene.browser.hover(x, y);
    let readout = scene.text("#readout");
    assert!(readout.contains("imported by"), "{readout}");
    scene.browser.click(x, y, 8);
    assert_eq!(scene.browser.eval("portolan.members().length > 0"), true);
    scene.check_same_as_select();
    scene.browser.click(x, y, 0);
    assert!(readout.contains(&scene.text("#page h2")), "{readout}");
    // The page starts with importance. The legend writes file extensions like languages.
    let mode = "document.querySelector('#modes [aria-checked=true]').dataset.mode";
    assert_eq!(scene.browser.eval(mode), "importance");
    scene.browser.click_on("[data-mode=language]", 0);
    scene.browser.click_on("#code", 0);
    let legend = scene.text("#legend");
    assert!(legend.contains("ts") && legend.contains("png") && !legend.contains('.'), "{legend}");
    scene.browser.click_on("#code", 0);
    scene.browser.click_on("#tab-picked", 0);
    let picked = scene.text("#picked");
    assert!(picked.contains("Copy as") && picked.contains("portolan read"), "{picked}");
    scene.browser.click_on("[data-key$=' more']", 0);
    scene.browser.click_on("[data-key$=' more']", 0);
    scene.browser.click_on("[data-key$=' type']", 0);
    scene.check_same_as_select();
    // The page of a file shows both directions, and links to its parent folders.
    scene.browser.eval("location.hash = 'src/out.ts'; new Promise((done) => setTimeout(done, 50))");
    let page = scene.text("#page");
    for part in ["Imports", "module of the platform", "file of a package", "implicit"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

fn states_select_what_select_does(scene: &mut Scene) {
    let ids = scene.browser.eval("(portolan.load('{\"v\":2,\"i\":[\".\"]}'), portolan.members())");
    let mut paths: Vec<String> =
        ids.as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect();
    assert_eq!(paths.len(), 51);
    scene.check_same_as_select();
    paths.extend(
        ["src", "src/lib", "src/lib/deep", "app", "app/[slug]", "app/(group)", "."]
            .map(ToOwned::to_owned),
    );
    let mut numbers = RandomNumbers(21);
    for _ in 0..30 {
        let state = random_state(&mut numbers, &paths);
        let problem = scene.browser.eval(&format!("portolan.load({})", json!(state)));
        assert_eq!(problem, "", "{state}");
        scene.check_same_as_select();
    }
}

/// The number of colours of a screenshot, counted by the browser on an empty page.
fn colours(browser: &mut Browser, shot: &str) -> u64 {
    let script = format!(
        "(async () => {{ const bytes = Uint8Array.from(atob({}), (c) => c.charCodeAt(0)); \
         const picture = await createImageBitmap(new Blob([bytes])); \
         const canvas = new OffscreenCanvas(picture.width, picture.height); \
         const ctx = canvas.getContext('2d'); ctx.drawImage(picture, 0, 0); \
         const all = new Uint32Array(ctx.getImageData(0, 0, picture.width, picture.height).data.buffer); \
         return new Set(all).size; }})()",
        json!(shot)
    );
    browser.eval(&script).as_u64().unwrap()
}

fn every_size_and_theme_shows_something(scene: &mut Scene) {
    for theme in ["light", "dark"] {
        for (width, height) in [(1440, 900), (800, 600), (420, 800)] {
            scene.browser.theme(theme);
            scene.browser.size(width, height);
            scene.browser.eval(
                "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
            );
            let shot = scene.browser.screenshot();
            let seen = colours(&mut scene.browser, &shot);
            assert!(seen > 100, "{theme}, {width} × {height}: {seen} colours");
            let is_wide = scene.browser.eval("document.documentElement.scrollWidth > innerWidth");
            assert_eq!(is_wide, false, "{theme}, {width} × {height} scrolls to the side");
        }
    }
}
