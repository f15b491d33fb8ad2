// The panel at the right: the page of a file or folder, and the selection that is being built.

const page = document.getElementById("page");
const picked = document.getElementById("picked");
const FIRST = 40;

function showTab(name) {
  for (const one of ["page", "picked"]) {
    const tab = document.getElementById(`tab-${one}`);
    tab.setAttribute("aria-selected", String(one === name));
    tab.tabIndex = one === name ? 0 : -1;
    document.getElementById(one).hidden = one !== name;
  }
}

const button = (text, onclick, attributes = {}) => el("button", { type: "button", onclick, ...attributes }, text);

// Some facts of one line each; those without a value are left out.
function facts(pairs) {
  const known = pairs.filter(([, value]) => value != null && value !== "");
  return el("dl", { class: "facts" }, ...known.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

// A list under a heading. Of a long one the first rows are made, and the others when they are asked for.
function section(title, items, row) {
  if (items.length === 0) return null;
  const isTop = title.includes(",");
  const rows = el("ul", {}, ...items.slice(0, FIRST).map(row));
  const all = items.length > FIRST && button(`All ${thousands(items.length)}`, () => {
    rows.append(...items.slice(FIRST).map(row));
    all.remove();
  }, { class: "more" });
  return el("section", {}, el("h3", {}, title, isTop ? null : el("span", { class: "figure" }, thousands(items.length))), rows, all || null);
}

// A link to the page of a node: its name, and dimmed where it is.
function nodeLink(node, ...marks) {
  const id = map.ids[node];
  const isFile = map.kinds[node] === SOURCE;
  const cut = isFile ? id.lastIndexOf("/") : -1;
  return el("li", { class: "node" }, button(isolated(id.slice(cut + 1)), () => showFile(node), { class: "link", title: shown(id) }),
    el("span", { class: "marks" }, ...marks), cut > 0 ? el("small", {}, isolated(id.slice(0, cut))) : isFile ? null : el("small", {}, KIND_WORDS[map.kinds[node]]));
}

const tag = (text) => el("span", { class: "tag" }, text);
const figure = (text) => el("span", { class: "figure" }, text);

function edgeMarks(edge) {
  const names = EDGE_KINDS.filter(([bit]) => map.edgeKinds[edge] & bit).map(([, name]) => name);
  const marks = names.length === 1 && names[0] === "runtime" ? [] : names.map(tag);
  return map.explicit[edge] === 0 ? [...marks, tag("implicit")] : marks;
}

function edgesOf(node) {
  const [needs, users] = [[], []];
  for (let edge = map.offsets[node]; edge < map.offsets[node + 1]; edge++) needs.push([map.targets[edge], edge]);
  for (let slot = map.backOffsets[node]; slot < map.backOffsets[node + 1]; slot++) users.push([map.sources[slot], map.backEdges[slot]]);
  return [needs, users];
}

// The folders above something, each a way there.
function pathLine(folder) {
  const ways = [];
  for (let one = folder; one; one = one.parent) ways.unshift(one);
  return el("p", { class: "crumbs" }, ...ways.flatMap((one) => [
    button(isolated(one.name), () => openFolder(one), { class: "link" }), el("span", { "aria-hidden": "true" }, "/")]));
}

function openFolder(folder) {
  zoom(folder);
  showFolder(folder);
}

function pickButtons(path) {
  const entry = selection.entries.get(path);
  const text = entry && !entry.isExclude ? "In the selection" : "Select";
  return el("p", { class: "actions" },
    button(text, () => selection.toggle(path), { class: "primary", "aria-pressed": String(Boolean(entry && !entry.isExclude)) }),
    button(entry?.isExclude ? "Excluded" : "Exclude", () => selection.toggle(path, true), { "aria-pressed": String(Boolean(entry?.isExclude)) }));
}

// Where the reader's editor finds a file. The page knows no path of the machine that wrote it: in the workspace of a
// checkout it is beside the files, elsewhere the reader says where they are.
const settings = {
  editor: stored("editor") || "vscode://file/{file}:{line}",
  checkout: stored("checkout") || besideFiles(),
  set(name, value) {
    this[name] = value;
    try {
      localStorage.setItem(`portolan-${name}`, value);
    } catch {
      // It is kept as long as the page is open.
    }
  },
};

function stored(name) {
  try {
    return localStorage.getItem(`portolan-${name}`) ?? "";
  } catch {
    return "";
  }
}

function besideFiles() {
  const path = location.protocol === "file:" ? decodeURIComponent(location.pathname) : "";
  const place = `/${map.statePath.replace(/\/context\/[^/]*$/, "")}/output/view.html`;
  return path.endsWith(place) ? path.slice(0, -place.length).replace(/^\/([A-Za-z]:)/, "$1") : "";
}

// Ways to a line of a file: in the editor, and on the forge.
function ways(node, at) {
  if (map.kinds[node] !== SOURCE) return [];
  const path = map.ids[node].split("/").map(encodeURIComponent).join("/");
  const filled = (text, file) => text.replaceAll("{file}", file).replaceAll("{path}", path).replaceAll("{line}", String(at));
  const found = [];
  // Only addresses that open something elsewhere: a script is none of them.
  const isSafe = (href) => /^(?!javascript|data|vbscript)[a-z][a-z0-9+.-]*:/i.test(href);
  const file = `${encodeURI(settings.checkout.replaceAll("\\", "/").replace(/\/$/, ""))}/${path}`;
  const editor = filled(settings.editor, file.replace(/^\//, ""));
  if (settings.checkout && isSafe(editor)) found.push(["Open in editor", editor]);
  if (map.web) found.push(["On the web", filled(map.web, path)]);
  return found;
}

function wayLinks(node) {
  const found = ways(node, 1).map(([text, href]) => el("a", { class: "button", href, target: href.startsWith("http") ? "_blank" : null, rel: "noopener" }, text));
  if (map.kinds[node] === SOURCE && !settings.checkout) {
    found.unshift(button("Open in editor…", () => document.getElementById("keys").showModal()));
  }
  return found.length > 0 ? el("p", { class: "actions ways" }, ...found) : null;
}

// What the tree goes back to after a search: the file or folder whose page is shown.
page.target = { folder: root };

function show(parts, hash, path) {
  page.path = path;
  page.replaceChildren(...parts.filter(Boolean));
  // Each of these would lay out the whole page, and the next change once more.
  if (page.isScrolled) page.scrollTop = 0;
  page.isScrolled = false;
  showTab("page");
  page.hash = hash;
  if (location.hash !== hash) history.pushState(null, "", hash || "#");
  // On a narrow screen the page stands below what was clicked.
  if (document.body.dataset.ready && matchMedia("(max-width: 600px)").matches) page.parentElement.scrollIntoView();
}

function showFile(node) {
  const folder = map.folderOf[node];
  if (folder) {
    page.target = { node };
    zoom(drawnAbove(folder));
    reveal(page.target);
  }
  mark({ node });
  show(filePage(node, folder), "#" + encodeURIComponent(map.ids[node]), map.ids[node]);
}

// An address that leads nowhere: the page may be older than the link, or of a part of the repository.
function showNothing(path) {
  show([
    el("h2", {}, isolated(path)),
    el("p", { class: "muted", role: "status" }, "This page has no file and no folder of that name."),
    el("p", { class: "actions" }, button("All files", () => openFolder(root), { class: "primary" })),
  ], location.hash, null);
}

function filePage(node, folder) {
  const [needs, users] = edgesOf(node);
  const { offsets, names, lines, sort, isExported } = map.outlines;
  const declared = Array.from({ length: offsets[node + 1] - offsets[node] }, (_, at) => offsets[node] + at);
  const cycle = map.cycleOf.get(node)?.filter((other) => other !== node) ?? [];
  const id = map.ids[node];
  return [
    folder && pathLine(folder),
    el("h2", {}, isolated(folder ? nameOf(node) : id)),
    map.descriptions.has(node) && el("p", { class: "description", dir: "auto" }, shown(map.descriptions.get(node))),
    facts([
      ["Tokens", map.tokens[node] < 0 ? null : thousands(map.tokens[node])],
      ["Bytes", map.bytes[node] < 0 ? null : thousands(map.bytes[node])],
      ["Language", map.language[node] === "other" ? null : map.language[node]],
      ["Is a", map.kinds[node] === SOURCE ? null : KIND_WORDS[map.kinds[node]]],
      ["Binary", map.isBinary[node] ? "never delivered" : null],
      ["Changed", changedText(node)],
    ]),
    map.kinds[node] <= EXTERNAL && pickButtons(id),
    wayLinks(node),
    section("Declares", declared, (one) => el("li", { class: isExported(one) ? "open" : "" },
      lineLink(node, lines[one]), el("code", {}, isolated(names[one])), el("small", {}, sort(one)))),
    section("In a cycle with", cycle, (other) => nodeLink(other)),
    section("Imports", needs, ([other, edge]) => nodeLink(other, ...edgeMarks(edge))),
    section("Imported by", users, ([other, edge]) => nodeLink(other, ...edgeMarks(edge))),
  ];
}

// The number of a line, as a link to it where there is one.
function lineLink(node, at) {
  const way = ways(node, at)[0];
  if (!way) return el("span", { class: "line" }, at);
  return el("a", { class: "line", href: way[1], target: way[1].startsWith("http") ? "_blank" : null, rel: "noopener", title: way[0] }, at);
}

function changedText(node) {
  const often = map.often[node] > 0 ? `in ${thousands(map.often[node])} of ${counted(map.commits, "commit")}` : "";
  const now = map.isChanged?.[node] ? "not committed" : "";
  return [now, often].filter(Boolean).join(", ");
}

function showFolder(folder) {
  page.target = { folder };
  reveal(page.target);
  mark(page.target);
  show(folderPage(folder), folder === root ? "" : "#" + encodeURIComponent(folder.path + "/"), pathOf(folder));
}

// The ten nodes with the most of something, without sorting all of them.
function largest(nodes, value) {
  const found = [];
  for (const node of nodes) {
    const size = value(node);
    if (size <= 0 || (found.length === 10 && size <= value(found[9]))) continue;
    const place = found.findIndex((other) => value(other) < size);
    found.splice(place < 0 ? found.length : place, 0, node);
    found.length = Math.min(found.length, 10);
  }
  return found;
}

function folderPage(folder) {
  const files = filesBelow(folder);
  const top = (value) => largest(files, (node) => (map.isGenerated[node] || weightOf(node) === 0 ? 0 : value(node)));
  const sums = new Map();
  // Lock files and what tools write say nothing of what a folder is made of, unless there is nothing else.
  const written = files.filter((node) => !map.isGenerated[node] && tokensOf(map, node) > 0);
  const told = written.length > 0 ? written : files;
  for (const node of told) sums.set(groups.of[node], (sums.get(groups.of[node]) ?? 0) + tokensOf(map, node));
  const whole = Math.max([...sums.values()].reduce((one, other) => one + other, 0), 1);
  const languages = [...sums].filter(([, sum]) => sum > 0).sort((one, other) => other[1] - one[1]).slice(0, 5);
  const inside = new Set(files);
  const cycles = map.cycles.filter((group) => group.some((node) => inside.has(node)));
  return [
    folder.parent && pathLine(folder.parent),
    el("h2", {}, isolated(folder.name)),
    facts([
      ["Files", thousands(folder.count)],
      ["Tokens", thousands(folder.tokens)],
      ["Mostly", languages.map(([name, sum]) => `${shown(name)} ${Math.round((100 * sum) / whole)}\u00a0%`).join(", ")],
    ]),
    pickButtons(pathOf(folder)),
    section("Most imported, by how many", top((node) => map.importers[node]), (node) => nodeLink(node, figure(thousands(map.importers[node])))),
    section("Largest, in tokens", top((node) => tokensOf(map, node)), (node) => nodeLink(node, figure(short(tokensOf(map, node))))),
    section("Changed most, in commits", top((node) => map.often[node]), (node) => nodeLink(node, figure(thousands(map.often[node])))),
    section("Cycles", cycles, (group) => nodeLink(group[0], figure(`and ${counted(group.length - 1, "other")}`))),
  ];
}

// The selection: what it costs, its entries, and ways to keep it.
function showSelection() {
  const { entries, nodes, tokens } = selection;
  const tab = document.getElementById("tab-picked");
  tab.replaceChildren("Selection", entries.size > 0 ? el("span", { class: "count" }, short(tokens)) : "");
  const focused = picked.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  picked.replaceChildren(...(entries.size === 0 ? emptySelection() : [
    el("p", { class: "total", role: "status" }, el("strong", { id: "tokens" }, thousands(tokens)), " tokens",
      el("span", { class: "muted" }, ` in ${counted(nodes.length, "file")}`)),
    el("ul", { class: "entries" }, ...[...entries].map(([key, entry]) => entryRow(key, entry))),
    keepButtons(),
    copyButtons(),
    el("p", { class: "muted" }, "Saved as ", el("code", {}, map.statePath), ", it is what ", el("code", {}, "portolan run --context"), " delivers."),
    section("Largest, in tokens", largest(nodes, (node) => map.tokens[node]),
      (node) => nodeLink(node, figure(short(Math.max(map.tokens[node], 0))))),
  ].filter(Boolean)));
  if (focused) picked.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

function emptySelection() {
  return [
    el("p", { class: "total" }, el("strong", { id: "tokens" }, "0"), " tokens"),
    el("p", { class: "muted" }, "Put files and folders into the selection: with the box in front of a name, with Space in the list, or with Shift and a click in the picture. What they import comes along as deep as you say."),
    el("p", { class: "actions" }, loadButton()),
  ];
}

function entryRow(key, { path, depth, kinds, isExclude, isKnown, nodes, isFolder }) {
  const step = (by) => () => selection.change(key, { depth: Math.max(depth + by, 0) });
  const toggles = EDGE_KINDS.map(([bit, name]) => button(name, () => selection.change(key, { kinds: kinds ^ bit }),
    { class: "kind", "aria-pressed": String((kinds & bit) !== 0), disabled: depth === 0, "data-key": `${key} ${name}` }));
  const note = !isKnown ? "not on this page: kept as it is, not counted" : isFolder ? counted(nodes.length, "file") : "";
  return el("li", { class: isExclude ? "excluded" : "" },
    el("div", { class: "name" }, isExclude ? tag("without") : null, isolated(path === "." ? map.name : path), el("small", {}, note),
      button("×", () => selection.remove(key), { class: "quiet", "aria-label": `Remove ${shown(path)}` })),
    el("div", { class: "how" }, el("span", { class: "muted" }, "depth"),
      button("−", step(-1), { "aria-label": "Follow fewer edges", disabled: depth === 0, "data-key": `${key} less` }),
      el("output", {}, depth),
      button("+", step(1), { "aria-label": "Follow more edges", "data-key": `${key} more` }), ...toggles));
}

function keepButtons() {
  return el("p", { class: "actions" },
    button("Copy", (event) => copy(event.currentTarget), { class: "primary" }),
    button("Save", save), loadButton(), button("Clear", () => selection.clear()));
}

// The selection in the words of others: paths for a script, Markdown for a chat or an issue, a command for a terminal.
const COPIES = [
  ["paths", () => selectedPaths().join("\n") + "\n"],
  ["Markdown", () => selectedPaths().map((path) => {
    const description = map.descriptions.get(map.places.get(path));
    const link = map.web ? `[\`${path}\`](${map.web.replace("{path}", path.split("/").map(encodeURIComponent).join("/")).replace(/#.*$/, "")})` : `\`${path}\``;
    return `- ${link}${description ? ": " + shown(description) : ""}\n`;
  }).join("")],
  ["portolan read", () => `portolan read ${[...selection.entries.values()].filter((entry) => !entry.isExclude).map((entry) => quoted(entry.path)).join(" ")} --format markdown\n`],
];

const selectedPaths = () => selection.nodes.filter((node) => map.kinds[node] === SOURCE).map((node) => map.ids[node]);
const quoted = (path) => (/^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

function copyButtons() {
  return el("p", { class: "actions" }, el("span", { class: "muted" }, "Copy as"),
    ...COPIES.map(([name, text]) => button(name, (event) => copy(event.currentTarget, text()))));
}

async function copy(from, text = selection.text()) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea", { class: "aside" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  from.textContent = "Copied";
}

function save() {
  const href = URL.createObjectURL(new Blob([selection.text()], { type: "application/json" }));
  el("a", { href, download: "dependency.state.json" }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

function loadButton() {
  const input = el("input", { type: "file", accept: ".json,application/json", class: "aside", tabindex: "-1", "aria-hidden": "true", onchange: async () => {
    const problem = selection.load(await input.files[0].text());
    if (problem) picked.append(el("p", { class: "problem", role: "alert" }, problem));
  } });
  return el("span", {}, button("Load…", () => input.click()), input);
}
