// The list at the left: the tree of folders, or what a search found. Only the rows that are seen are elements.

const ROW = 26;
// `top` and `view` are what is scrolled and seen: to ask the browser for them lays out the whole page.
const list = { rows: [], active: 0, query: "", box: document.getElementById("tree"), top: 0, view: 0 };
const spacer = el("div", { class: "spacer", role: "presentation" });
const layer = el("div", { class: "rows", role: "presentation" });
list.box.append(spacer, layer);
root.isOpen = true;

function treeRows() {
  const rows = [];
  const todo = [{ folder: root, level: 1 }];
  while (todo.length > 0) {
    const row = todo.pop();
    rows.push(row);
    if (!row.folder?.isOpen) continue;
    const { folder, level } = row;
    folder.sorted ??= folder.files.slice().sort((one, other) => compare(nameOf(one), nameOf(other)));
    for (let at = folder.sorted.length - 1; at >= 0; at--) todo.push({ node: folder.sorted[at], level: level + 1 });
    for (let at = folder.folders.length - 1; at >= 0; at--) todo.push({ folder: folder.folders[at], level: level + 1 });
  }
  return rows;
}

// What a search looks through, in small letters: made when it is first wanted.
const searched = {
  get folders() {
    return (this.allFolders ??= foldersBelow(root).map((folder) => ({ folder, name: folder.name.toLowerCase(), path: folder.path.toLowerCase() })));
  },
  get ids() {
    return (this.lowIds ??= map.ids.map((id) => id.toLowerCase()));
  },
  get names() {
    return (this.lowNames ??= map.outlines.names.map((name) => name.toLowerCase()));
  },
};

// Folders and files by path, those whose own name fits first; declarations by name, and by the path of their file where
// there are more words. All words of the query must be there.
function searchRows(query) {
  const pattern = patternOf(query);
  if (pattern) return matchedRows(pattern);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const last = words[words.length - 1];
  const found = [];
  searched.folders.forEach(({ folder, name, path }) => {
    if (!name.includes(last) || !words.every((word) => path.includes(word))) return;
    const rank = name === last || name.endsWith("/" + last) ? 0 : name.startsWith(last) ? 1 : 2;
    found.push({ rank, size: path.length, order: -1, folder, level: 1 });
  });
  searched.ids.forEach((id, node) => {
    if (!words.every((word) => id.includes(word))) return;
    const name = id.slice(id.lastIndexOf("/") + 1);
    const place = name.indexOf(last);
    const rank = name === last ? 0 : place === 0 ? 1 : place > 0 ? 2 : 5;
    found.push({ rank: map.kinds[node] === SOURCE ? rank : rank + 6, size: id.length, order: node, node, level: 1 });
  });
  searched.names.forEach((name, declared) => {
    const node = map.outlines.owner[declared];
    const own = words.filter((word) => name.includes(word));
    if (own.length === 0 || !words.every((word) => own.includes(word) || searched.ids[node].includes(word))) return;
    const rank = own.includes(name) ? 0 : own.some((word) => name.startsWith(word)) ? 3 : 4;
    found.push({ rank, size: name.length, order: node, node, declared, level: 1 });
  });
  return found.sort((one, other) => one.rank - other.rank || one.size - other.size || one.order - other.order);
}

// A query with what only a pattern has is one, as for `portolan search`.
function patternOf(query) {
  if (!/[|\\^$*+?()[\]]/.test(query)) return undefined;
  try {
    return new RegExp(query, "iu");
  } catch {
    return undefined;
  }
}

function matchedRows(pattern) {
  const found = [];
  map.outlines.names.forEach((name, declared) => {
    if (pattern.test(name)) found.push({ rank: 0, node: map.outlines.owner[declared], declared, level: 1 });
  });
  map.ids.forEach((id, node) => {
    if (pattern.test(id)) found.push({ rank: map.kinds[node] === SOURCE ? 1 : 2, node, level: 1 });
  });
  return found.sort((one, other) => one.rank - other.rank || map.importers[other.node] - map.importers[one.node] || one.node - other.node);
}

function rebuild(keep) {
  const isSearch = list.query !== "";
  list.rows = isSearch ? searchRows(list.query) : treeRows();
  const at = keep ? list.rows.findIndex((row) => sameRow(row, keep)) : 0;
  list.active = Math.max(at, 0);
  list.box.setAttribute("role", isSearch ? "listbox" : "tree");
  list.box.setAttribute("aria-label", isSearch ? "What was found" : "Folders and files");
  spacer.style.height = `${list.rows.length * ROW}px`;
  const told = list.rows.length > 0 ? `${thousands(list.rows.length)} found` : "Nothing found. Paths and names of declarations are searched.";
  document.getElementById("found").textContent = isSearch ? told : "";
  // What a page cannot do: it has no text of files.
  document.getElementById("in-files").replaceChildren(...(isSearch ? ["In the text of files: ", el("code", {}, `portolan search ${quoted(list.query)}`)] : []));
  renderRows();
}

const sameRow = (one, other) => one.folder === other.folder && one.node === other.node && one.declared === other.declared;

function renderRows() {
  const most = Math.ceil(list.view / ROW) + 8;
  // The list may have become shorter than it is scrolled.
  const last = Math.max(list.rows.length * ROW - list.view, 0);
  const first = Math.max(Math.floor(Math.min(list.top, last) / ROW) - 4, 0);
  const rows = list.rows.slice(first, first + most);
  layer.style.transform = `translateY(${first * ROW}px)`;
  layer.replaceChildren(...rows.map((row, at) => rowElement(row, first + at)));
  list.box.setAttribute("aria-activedescendant", list.rows.length > 0 ? `row-${list.active}` : "");
}

function rowElement(row, at) {
  const { folder, node } = row;
  const isSearch = list.query !== "";
  const path = folder ? pathOf(folder) : map.ids[node];
  const state = pickState(row, path);
  const element = el("div", {
    id: `row-${at}`, class: "row", role: isSearch ? "option" : "treeitem",
    "aria-level": isSearch ? null : row.level, "aria-expanded": folder && !isSearch ? String(folder.isOpen) : null,
    "aria-selected": String(at === list.active), "aria-checked": state === "picked" ? "true" : state ? "mixed" : "false",
    "aria-posinset": at + 1, "aria-setsize": list.rows.length, "data-state": state, "data-at": at,
    title: shown(path),
  });
  element.style.setProperty("--level", row.level - 1);
  element.append(
    el("span", { class: folder ? "twist" : "twist leaf", "aria-hidden": "true" }),
    el("span", { class: "box", "aria-hidden": "true" }),
    label(row),
    el("span", { class: "cost" }, costOf(row)),
  );
  return element;
}

function label({ folder, node, declared }) {
  if (folder && list.query === "") return el("span", { class: "label" }, isolated(folder.name));
  if (folder) return el("span", { class: "label" }, isolated(folder.name + "/"), el("small", {}, " ", isolated(folder.parent.path)));
  if (declared !== undefined) {
    const { names, sort } = map.outlines;
    return el("span", { class: "label" }, el("em", {}, isolated(names[declared])), ` ${sort(declared)} `, where(node, true));
  }
  return el("span", { class: "label" }, isolated(nameOf(node)), list.query === "" ? null : where(node, false));
}

// Where a file is, for a row that stands alone.
function where(node, isWhole) {
  const id = map.ids[node];
  const path = isWhole ? id : id.slice(0, Math.max(id.lastIndexOf("/"), 0));
  return el("small", {}, " ", isolated(path));
}

function costOf({ folder, node, declared }) {
  if (folder) return short(folder.tokens);
  if (declared !== undefined) return `:${map.outlines.lines[declared]}`;
  if (map.isBinary[node]) return "binary";
  return map.tokens[node] < 0 ? "–" : short(map.tokens[node]);
}

// How a row stands to the selection: it is an entry, it is excluded, or some of it is in.
function pickState({ folder, node }, path) {
  const entry = selection.entries.get(path);
  if (entry) return entry.isExclude ? "excluded" : "picked";
  if (!folder) return selection.isIn[node] ? "within" : "";
  return selection.inFolder?.has(folder) ? "within" : "";
}

function move(at) {
  list.active = Math.min(Math.max(at, 0), list.rows.length - 1);
  const [top, { view }] = [list.active * ROW, list];
  if (top < list.top) scrollList(top);
  else if (top + ROW > list.top + view) scrollList(top + ROW - view);
  renderRows();
  // Whoever moves by keys sees the edges, too.
  if (list.rows[list.active]) mark(list.rows[list.active]);
}

function scrollList(top) {
  list.box.scrollTop = list.top = top;
}

// Takes up what the browser shows of the list.
function measureList() {
  [list.top, list.view] = [list.box.scrollTop, list.box.clientHeight];
  renderRows();
}

function setOpen(row, isOpen) {
  row.folder.isOpen = isOpen;
  rebuild(row);
}

// Opens the folders above a file or folder, and goes to its row.
function reveal(target) {
  if (list.query !== "") return;
  const above = target.folder ? target.folder.parent : map.folderOf[target.node];
  for (let folder = above; folder; folder = folder.parent) folder.isOpen = true;
  rebuild(target);
  move(list.active);
}

function listKey(event) {
  const row = list.rows[list.active];
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  const page = Math.max(Math.floor(list.view / ROW) - 1, 1);
  const path = row.folder ? pathOf(row.folder) : map.ids[row.node];
  const depth = selection.entries.get(path)?.depth ?? 0;
  const keys = {
    ArrowDown: () => move(list.active + 1),
    ArrowUp: () => (list.active === 0 && list.query !== "" ? document.getElementById("search").focus() : move(list.active - 1)),
    PageDown: () => move(list.active + page),
    PageUp: () => move(list.active - page),
    Home: () => move(0),
    End: () => move(list.rows.length - 1),
    ArrowRight: () => (list.query !== "" ? undefined : row.folder && !row.folder.isOpen ? setOpen(row, true) : row.folder && move(list.active + 1)),
    ArrowLeft: () => (list.query === "" && row.folder?.isOpen && row.folder !== root ? setOpen(row, false) : goUp(row)),
    Enter: () => openRow(row),
    " ": () => selection.toggle(path),
    x: () => selection.toggle(path, true),
    "+": () => selection.change(path, { depth: depth + 1 }),
    "-": () => selection.change(path, { depth: Math.max(depth - 1, 0) }),
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}

function goUp(row) {
  if (list.query !== "") return;
  const above = row.folder ? row.folder.parent : map.folderOf[row.node];
  if (above) move(list.rows.findIndex((one) => one.folder === above));
}

function openRow(row) {
  if (row.folder) {
    zoom(row.folder);
    showFolder(row.folder);
  } else {
    showFile(row.node);
  }
}

function listClick(event) {
  const element = event.target.closest(".row");
  if (!element) return;
  const row = list.rows[Number(element.dataset.at)];
  list.active = Number(element.dataset.at);
  if (event.target.closest(".box") || event.shiftKey) selection.toggle(row.folder ? pathOf(row.folder) : map.ids[row.node]);
  else if (list.query === "" && event.target.closest(".twist") && row.folder) setOpen(row, !row.folder.isOpen);
  else {
    if (list.query === "" && row.folder && !row.folder.isOpen) setOpen(row, true);
    openRow(row);
    renderRows();
  }
}
