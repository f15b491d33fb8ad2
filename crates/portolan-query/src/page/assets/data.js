// What the page knows: the columns of the data block as arrays, and the folders above the files.

const SOURCE = 0;
const EXTERNAL = 1;
const KIND_WORDS = ["file", "file of a package", "module of the platform", "module that was not found"];
const EDGE_KINDS = [[1, "runtime"], [2, "type"], [4, "dynamic"]];
const ALL_KINDS = 7;

const map = readMap(JSON.parse(document.getElementById("data").textContent));
const root = folders(map);

function fromSteps(steps) {
  let at = 0;
  return steps.map((step) => (at += step));
}

function fromNames({ shared, rest }) {
  let before = "";
  return rest.map((text, at) => (before = before.slice(0, shared[at]) + text));
}

function flags(count, places) {
  const found = new Uint8Array(count);
  for (const place of places) found[place] = 1;
  return found;
}

function readMap(raw) {
  const ids = fromNames(raw.ids);
  const count = ids.length;
  const numbers = (column) => Float64Array.from(column, (value) => value ?? -1);
  const descriptions = new Map(fromSteps(raw.descriptions[0]).map((at, n) => [at, raw.descriptions[1][n]]));
  const edges = readEdges(raw.edges, count);
  const often = new Uint32Array(count);
  if (raw.history) fromSteps(raw.history.nodes).forEach((at, n) => (often[at] = raw.history.counts[n]));
  return {
    name: raw.name, made: raw.made, tokenizer: raw.tokenizer, statePath: raw.state,
    ids, count, often, descriptions, ...edges,
    places: new Map(ids.map((id, at) => [id, at])),
    kinds: Uint8Array.from(raw.kinds, Number),
    language: raw.language.map((at) => raw.languages[at]),
    tokens: numbers(raw.tokens), bytes: numbers(raw.bytes),
    isBinary: flags(count, fromSteps(raw.binary)),
    // What tools write: it is large and changes often, and nobody reads it.
    isGenerated: flags(count, fromSteps(raw.generated)), web: raw.web ?? "",
    isChanged: raw.changed && flags(count, fromSteps(raw.changed)),
    commits: raw.history ? raw.history.commits : 0,
    cycles: raw.cycles, cycleOf: new Map(raw.cycles.flatMap((group) => group.map((node) => [node, group]))),
    outlines: readOutlines(raw.declarations, count),
    folderOf: new Array(count),
  };
}

// Edges as flat arrays, both ways: those of node `n` are at `offsets[n]` to `offsets[n + 1]`.
function readEdges({ degrees, targets: steps, masks }, count) {
  const size = steps.length;
  const [offsets, targets, explicit, kinds] =
    [new Uint32Array(count + 1), new Uint32Array(size), new Uint8Array(size), new Uint8Array(size)];
  const [backOffsets, sources, backEdges] = [new Uint32Array(count + 1), new Uint32Array(size), new Uint32Array(size)];
  for (let node = 0, edge = 0; node < count; node++) {
    for (let left = degrees[node], target = 0; left > 0; left--, edge++) {
      target += steps[edge];
      targets[edge] = target;
      explicit[edge] = masks[edge] & 7;
      kinds[edge] = (masks[edge] & 7) | (masks[edge] >> 3);
      backOffsets[target + 1]++;
    }
    offsets[node + 1] = edge;
  }
  for (let node = 0; node < count; node++) backOffsets[node + 1] += backOffsets[node];
  const next = backOffsets.slice();
  for (let node = 0; node < count; node++) {
    for (let edge = offsets[node]; edge < offsets[node + 1]; edge++) {
      const slot = next[targets[edge]]++;
      sources[slot] = node;
      backEdges[slot] = edge;
    }
  }
  const importers = new Uint32Array(count);
  for (let node = 0; node < count; node++) importers[node] = backOffsets[node + 1] - backOffsets[node];
  return { edgeCount: size, offsets, targets, explicit, edgeKinds: kinds, backOffsets, sources, backEdges, importers };
}

function readOutlines({ sorts, counts, names, lines, marks }, count) {
  const offsets = new Uint32Array(count + 1);
  const at = new Uint32Array(names.length);
  const owner = new Uint32Array(names.length);
  for (let node = 0, one = 0; node < count; node++) {
    for (let left = counts[node], line = 0; left > 0; left--, one++) {
      line += lines[one];
      at[one] = line;
      owner[one] = node;
    }
    offsets[node + 1] = one;
  }
  const sort = (one) => sorts[marks[one] >> 1];
  const isExported = (one) => (marks[one] & 1) === 1;
  return { offsets, names, lines: at, owner, sort, isExported };
}

// The folders of the repository's own files. One that holds nothing but another folder is joined with it.
function folders(map) {
  const top = newFolder("", map.name, null);
  const known = new Map([["", top]]);
  const find = (path) => {
    const there = known.get(path);
    if (there) return there;
    const cut = path.lastIndexOf("/");
    const above = find(cut < 0 ? "" : path.slice(0, cut));
    const made = newFolder(path, path.slice(cut + 1), above);
    above.folders.push(made);
    known.set(path, made);
    return made;
  };
  for (let node = 0; node < map.count; node++) {
    if (map.kinds[node] !== SOURCE) continue;
    const id = map.ids[node];
    const folder = find(id.slice(0, Math.max(id.lastIndexOf("/"), 0)));
    folder.files.push(node);
    map.folderOf[node] = folder;
    for (let one = folder; one; one = one.parent) {
      one.count++;
      one.tokens += tokensOf(map, node);
    }
  }
  join(top);
  return top;
}

function newFolder(path, name, parent) {
  return { path, name, parent, folders: [], files: [], count: 0, tokens: 0, weight: 0, isOpen: false };
}

function join(top) {
  const todo = [top];
  while (todo.length > 0) {
    const folder = todo.pop();
    folder.folders = folder.folders.map((inner) => {
      let name = inner.name;
      while (inner.files.length === 0 && inner.folders.length === 1) {
        inner = inner.folders[0];
        name += "/" + inner.name;
      }
      return Object.assign(inner, { name, parent: folder });
    });
    folder.folders.sort((one, other) => compare(one.name, other.name));
    for (const inner of folder.folders) todo.push(inner);
  }
}

// What a file costs to read; nothing where nobody may.
function tokensOf(map, node) {
  return Math.max(map.tokens[node], 0);
}

// Code, whatever its language: it declares something, or an edge leads from it or to it. A heap of data that is imported
// is none.
const MOST_DATA = 20_000;

function isCode(node) {
  const { offsets, importers, outlines } = map;
  return outlines.offsets[node + 1] > outlines.offsets[node] || offsets[node + 1] > offsets[node]
    || (importers[node] > 0 && tokensOf(map, node) <= MOST_DATA);
}

const nameOf = (node) => map.ids[node].slice(map.ids[node].lastIndexOf("/") + 1);

function compare(one, other) {
  return one.localeCompare(other, "en", { numeric: true, sensitivity: "base" }) || (one < other ? -1 : 1);
}

// Every file below a folder.
function filesBelow(folder) {
  const found = [];
  const todo = [folder];
  while (todo.length > 0) {
    const one = todo.pop();
    for (const node of one.files) found.push(node);
    for (const inner of one.folders) todo.push(inner);
  }
  return found;
}

// Every folder below one, in an order that is always the same.
function foldersBelow(folder) {
  const found = folder.folders.slice();
  for (const one of found) for (const inner of one.folders) found.push(inner);
  return found;
}

// The folder at a path. One that was joined with the only folder in it has the same files.
function folderAt(path) {
  let folder = root;
  while (folder && folder.path !== path) {
    folder = folder.folders.find((inner) => path === inner.path || path.startsWith(inner.path + "/") || inner.path.startsWith(path + "/"));
    if (folder?.path.startsWith(path + "/")) return folder;
  }
  return folder;
}

// Text from outside: what would reorder it, or could not be seen, is written out.
const UNSEEN = /[\p{Cc}\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

function shown(text) {
  return text.replace(UNSEEN, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

const plainNumber = new Intl.NumberFormat("en-US");
const thousands = (number) => plainNumber.format(number);

function short(number) {
  if (number < 1000) return String(number);
  const [size, unit] = number < 999_500 ? [number / 1e3, "k"] : [number / 1e6, "M"];
  return (size < 9.95 ? size.toFixed(1) : Math.round(size)) + unit;
}

const counted = (number, noun) => `${thousands(number)} ${noun}${number === 1 ? "" : "s"}`;

// The one way to make elements: text is text.
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

const isolated = (text) => el("bdi", {}, shown(text));
