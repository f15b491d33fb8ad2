// The selection that is being built: entries, what they select, and the state file that says the same.

const selection = {
  // By path: the id of a file, the path of a folder, `.` for everything. A state file may name one twice.
  entries: new Map(),
  nodes: [],
  isIn: new Uint8Array(map.count),
  tokens: 0,
  listeners: [],

  has(path) {
    return this.entries.has(path);
  },

  toggle(path, isExclude = false) {
    const known = this.entries.get(path);
    if (known && known.isExclude === isExclude) this.entries.delete(path);
    else this.entries.set(path, entryOf(path, known?.depth ?? 0, known?.kinds ?? ALL_KINDS, isExclude));
    this.update();
  },

  change(key, change) {
    const known = this.entries.get(key);
    if (!known) return;
    Object.assign(known, change);
    this.update();
  },

  remove(key) {
    this.entries.delete(key);
    this.update();
  },

  clear() {
    this.entries.clear();
    this.update();
  },

  update() {
    this.nodes = selectNodes([...this.entries.values()]);
    this.isIn = flags(map.count, this.nodes);
    this.tokens = this.nodes.reduce((all, node) => all + Math.max(map.tokens[node], 0), 0);
    for (const listener of this.listeners) listener();
  },

  // The text of the state file, as `portolan select --write` would write it.
  text() {
    const lists = [false, true].map((isExclude) => [...this.entries.values()]
      .filter((entry) => entry.isExclude === isExclude).flatMap(written));
    const list = (lines) => (lines.length === 0 ? "[]" : `[\n  ${lines.join(",\n  ")}\n]`);
    const excludes = lists[1].length > 0 ? `, "x": ${list(lists[1])}` : "";
    return `{ "v": 2, "i": ${list(lists[0])}${excludes} }\n`;
  },

  // Takes the entries of a state file; answers what is wrong with it, or nothing.
  load(text) {
    let state;
    try {
      state = JSON.parse(text);
    } catch (error) {
      return `It is not JSON: ${error.message}`;
    }
    if (typeof state !== "object" || !Array.isArray(state?.i)) return "It has no list `i`: it is no state of version 2 or 3.";
    this.entries.clear();
    for (const [list, isExclude] of [[state.i, false], [state.x ?? [], true]]) {
      for (const item of Array.isArray(list) ? list : []) {
        const [path, depth, kinds] = Array.isArray(item) ? item : [item, 0];
        if (typeof path !== "string") continue;
        const mask = typeof kinds === "number" ? kinds & ALL_KINDS : ALL_KINDS;
        const key = this.entries.has(path) ? `${path}\0${this.entries.size}` : path;
        this.entries.set(key, entryOf(path, Math.max(Math.floor(depth) || 0, 0), mask, isExclude));
      }
    }
    this.update();
    return "";
  },
};

// An entry with the nodes that its path stands for; none for a glob, or for what is not there. A slash at the end
// tells a folder from a module of its name.
function entryOf(path, depth, kinds, isExclude) {
  const node = map.places.get(path) ?? map.places.get(path.slice(0, Math.max(path.lastIndexOf("#"), 0)));
  const folder = node === undefined ? folderAt(path === "." ? "" : path.replace(/\/$/, "")) : undefined;
  const isKnown = node !== undefined || folder !== undefined;
  const nodes = node !== undefined ? [node] : folder ? filesBelow(folder) : [];
  return { path, depth, kinds, isExclude, nodes, isKnown, isFolder: folder !== undefined };
}

// Folders are named as such, unless their names would be read as patterns: then their files are.
const PATTERN = /[*?[\]{}\\#]|^[!/\s]|[\s/]$|[!@+]\(/;

function written({ path, depth, kinds, nodes, isFolder }) {
  const paths = isFolder && (PATTERN.test(path) || path.length > 1000) ? nodes.map((node) => map.ids[node]) : [path];
  return paths.map((one) => {
    const id = JSON.stringify(one);
    if (depth === 0) return id;
    return kinds === ALL_KINDS ? `[${id}, ${depth}]` : `[${id}, ${depth}, ${kinds}]`;
  });
}

const pathOf = (folder) => (folder.path === "" ? "." : map.places.has(folder.path) ? folder.path + "/" : folder.path);
