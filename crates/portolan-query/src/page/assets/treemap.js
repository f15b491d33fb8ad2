// The picture: folders and files as nested boxes, as large as what they cost, with the edges of what is pointed at.

const HEAD = 16;
const FONT = "11px ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";
const MOST_LINES = 800;

const picture = {
  folder: root,
  boxes: [],
  boxOfNode: new Int32Array(map.count),
  layoutId: 0,
  pointed: -1,
  marked: undefined,
  // Which zoom is under way.
  moving: undefined,
  isCodeOnly: false,
  width: 0,
  height: 0,
};
const cells = document.getElementById("cells");
const over = document.getElementById("over");

// Puts weights, largest first, into a rectangle as boxes that are as square as they can be.
function squarify(weights, box, place) {
  let { x, y, w, h } = box;
  let rest = weights.reduce((all, weight) => all + weight, 0);
  for (let first = 0; first < weights.length;) {
    const side = Math.min(w, h);
    const scale = rest > 0 ? (w * h) / rest : 0;
    let [sum, after, worst] = [0, first, Infinity];
    while (after < weights.length) {
      const depth = ((sum + weights[after]) * scale) / side;
      const ratio = Math.max((weights[first] * scale) / (depth * depth), (depth * depth) / (weights[after] * scale));
      if (ratio > worst) break;
      [sum, worst] = [sum + weights[after], ratio];
      after++;
    }
    if (after === first) return;
    const depth = (sum * scale) / side;
    for (let at = first, along = 0; at < after; at++) {
      const length = (weights[at] * scale) / depth;
      if (w < h) place(at, { x: x + along, y, w: length, h: depth });
      else place(at, { x, y: y + along, w: depth, h: length });
      along += length;
    }
    if (w < h) [y, h] = [y + depth, Math.max(h - depth, 0)];
    else [x, w] = [x + depth, Math.max(w - depth, 0)];
    rest -= sum;
    first = after;
  }
}

// Gives folders the weight of what is shown below them: of all files, or of code alone.
function weigh() {
  const all = [root];
  for (const folder of all) {
    Object.assign(folder, { weight: 0, children: undefined });
    for (const inner of folder.folders) all.push(inner);
  }
  for (let at = all.length - 1; at >= 0; at--) {
    const folder = all[at];
    for (const node of folder.files) folder.weight += weightOf(node);
    if (folder.parent) folder.parent.weight += folder.weight;
  }
}

// The smallest files can still be seen.
function weightOf(node) {
  return picture.isCodeOnly && !isCode(node) ? 0 : Math.max(tokensOf(map, node), 8);
}

function childrenOf(folder) {
  folder.children ??= [
    ...folder.folders.map((inner) => ({ folder: inner, weight: inner.weight })),
    ...folder.files.map((node) => ({ node, weight: weightOf(node) })),
  ].filter((child) => child.weight > 0).sort((one, other) => other.weight - one.weight);
  return folder.children;
}

// Boxes for what is below a folder; a folder comes before what is in it.
function layOut() {
  const { width, height } = picture;
  picture.layoutId++;
  picture.boxes = [];
  picture.boxOfNode.fill(-1);
  const todo = [{ folder: picture.folder, x: 0, y: 0, w: width, h: height, head: 0 }];
  while (todo.length > 0) {
    const box = todo.pop();
    const { folder } = box;
    Object.assign(folder, { layoutId: picture.layoutId, box: picture.boxes.length });
    picture.boxes.push(box);
    if (box.w < 3 || box.h < 3) continue;
    const edge = box.w > 24 && box.h > 24 && folder !== picture.folder ? 2 : 0;
    const inner = { x: box.x + edge, y: box.y + box.head + edge, w: box.w - 2 * edge, h: box.h - box.head - 2 * edge };
    if (inner.w <= 0 || inner.h <= 0) continue;
    const children = childrenOf(folder);
    squarify(children.map((child) => child.weight), inner, (at, place) => {
      const child = children[at];
      if (child.folder) {
        todo.push({ ...place, folder: child.folder, head: place.w > 44 && place.h > 36 ? HEAD : 0 });
      } else {
        picture.boxOfNode[child.node] = picture.boxes.length;
        picture.boxes.push({ ...place, node: child.node });
      }
    });
  }
}

// The box of a file, or of the smallest folder around it that is drawn.
function boxOf(node) {
  if (picture.boxOfNode[node] >= 0) return picture.boxes[picture.boxOfNode[node]];
  for (let folder = map.folderOf[node]; folder; folder = folder.parent) {
    if (folder.layoutId === picture.layoutId) return folder === picture.folder ? undefined : picture.boxes[folder.box];
  }
  return undefined;
}

// The box of a row of the list, or of what has a page.
function boxOfMarked() {
  const { folder, node } = picture.marked ?? {};
  if (node !== undefined) return boxOf(node);
  return folder && folder !== picture.folder && folder.layoutId === picture.layoutId ? picture.boxes[folder.box] : undefined;
}

// The nearest folder at or above the one that is drawn which has another in it.
function drawnAbove(folder) {
  const above = new Set();
  for (let one = folder; one; one = one.parent) above.add(one);
  let drawn = picture.folder;
  while (!above.has(drawn)) drawn = drawn.parent;
  return drawn;
}

function context(canvas) {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const [width, height] = [Math.round(picture.width * ratio), Math.round(picture.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  // A zoom ends with what was drawn faded out.
  ctx.globalAlpha = 1;
  ctx.clearRect(0, 0, picture.width, picture.height);
  return ctx;
}

function draw() {
  const { theme } = colours;
  const ctx = context(cells);
  const isPicking = selection.entries.size > 0;
  ctx.font = FONT;
  ctx.textBaseline = "middle";
  const inks = [rgb(theme.ink, 0.86), rgb(theme.ink, 0.55)];
  for (const box of picture.boxes) {
    if (box.folder) drawFolder(ctx, box, theme);
    else drawFile(ctx, box, inks, isPicking && !selection.isIn[box.node]);
  }
  if (picture.boxes.length < 2) {
    ctx.fillStyle = rgb(theme.muted);
    ctx.fillText(picture.folder.count > 0 ? "No code here. “Code only” hides the rest." : "No files.", 12, 24);
  }
  if (isPicking) for (const isEntry of [false, true]) outline(ctx, isEntry, theme);
}

// What is selected can be found, however small it is: entries, and what they reach. One path for all is quick.
function outline(ctx, isEntry, theme) {
  ctx.strokeStyle = rgb(theme.accent, isEntry ? 1 : 0.7);
  ctx.lineWidth = isEntry ? 2 : 1;
  ctx.beginPath();
  for (const node of selection.nodes) {
    const box = picture.boxes[picture.boxOfNode[node]];
    if (!box || selection.has(map.ids[node]) !== isEntry) continue;
    const grow = Math.max(0, (isEntry ? 7 : 5) - Math.min(box.w, box.h)) / 2;
    ctx.rect(box.x + 1 - grow, box.y + 1 - grow, Math.max(box.w - 2 + 2 * grow, 1), Math.max(box.h - 2 + 2 * grow, 1));
  }
  ctx.stroke();
}

function drawFolder(ctx, box, theme) {
  if (box.folder === picture.folder) return;
  ctx.fillStyle = rgb(mixed(theme.paper, theme.ink, box.w < 3 || box.h < 3 ? 0.2 : 0.06));
  ctx.fillRect(box.x + 0.5, box.y + 0.5, Math.max(box.w - 1, 0.5), Math.max(box.h - 1, 0.5));
  if (box.head === 0) return;
  ctx.strokeStyle = rgb(theme.line);
  ctx.lineWidth = 1;
  ctx.strokeRect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1);
  ctx.fillStyle = rgb(theme.ink, 0.66);
  ctx.fillText(cut(ctx, box.folder.name, box.w - 10), box.x + 5, box.y + HEAD / 2 + 2);
}

function drawFile(ctx, box, inks, isDim) {
  const gap = box.w > 4 && box.h > 4 ? 0.5 : 0;
  ctx.globalAlpha = isDim ? 0.3 : 1;
  ctx.fillStyle = colours.fill[box.node];
  ctx.fillRect(box.x + gap, box.y + gap, Math.max(box.w - 2 * gap, 0.5), Math.max(box.h - 2 * gap, 0.5));
  if (box.w > 38 && box.h > 15) {
    ctx.fillStyle = inks[0];
    ctx.fillText(cut(ctx, nameOf(box.node), box.w - 8), box.x + 4, box.y + Math.min(box.h / 2, 10));
    if (box.w > 60 && box.h > 34) {
      ctx.fillStyle = inks[1];
      ctx.fillText(map.isBinary[box.node] ? "binary" : short(tokensOf(map, box.node)), box.x + 4, box.y + 24);
    }
  }
  ctx.globalAlpha = 1;
}

// A name cut to a width. What a character takes is measured once.
const measured = new Map();

function cut(ctx, name, width) {
  const text = shown(name);
  const size = (c) => {
    if (!measured.has(c)) measured.set(c, ctx.measureText(c).width);
    return measured.get(c);
  };
  const room = width - size("…");
  let [taken, all] = ["", 0];
  for (const c of text) {
    all += size(c);
    if (all <= room) taken += c;
    if (all > width) return taken.length > 1 ? taken + "…" : "";
  }
  return text;
}

// Shows what is pointed at; where that is nothing, what is open or chosen in the list.
function point(at) {
  const box = picture.boxes[at];
  const isNothing = !box || box.folder === picture.folder;
  const next = isNothing ? -1 : at;
  if (next === picture.pointed) return;
  picture.pointed = next;
  // A zoom paints over it, and shows it when it is done.
  if (picture.moving) return;
  if (isNothing) drawPointed(boxOfMarked(), picture.marked);
  else drawPointed(box, box);
}

function mark(target) {
  picture.marked = target;
  repoint(-1);
}

function repoint(at = picture.pointed) {
  picture.pointed = NaN;
  point(at);
}

// The edges of a file or folder and its outline. A file that is not drawn has those of the folder around it.
function drawPointed(box, target) {
  const ctx = context(over);
  const readout = document.getElementById("readout");
  if (!box) {
    readout.replaceChildren(...drawFlows(ctx));
    return;
  }
  const { theme } = colours;
  const { folder, node } = target;
  const nodes = folder ? filesBelow(folder) : [node];
  const [needs, users] = neighbours(nodes);
  const lines = (others, colour) => {
    ctx.strokeStyle = rgb(colour, others.size > 60 ? 0.35 : 0.65);
    ctx.fillStyle = rgb(colour, 0.9);
    ctx.lineWidth = 1.25;
    for (const other of [...others].slice(0, MOST_LINES)) line(ctx, box, boxOf(other));
  };
  lines(users, theme.users);
  lines(needs, theme.needs);
  ctx.strokeStyle = rgb(theme.ink);
  ctx.lineWidth = 1.5;
  ctx.strokeRect(box.x + 0.75, box.y + 0.75, box.w - 1.5, box.h - 1.5);
  const cost = folder ? `${counted(folder.count, "file")}, ${counted(folder.tokens, "token")}`
    : map.isBinary[node] ? "binary" : counted(tokensOf(map, node), "token");
  const [name, above] = folder ? [folder.name + "/", folder.parent] : [nameOf(node), map.folderOf[node]];
  readout.replaceChildren(el("strong", {}, isolated(name)), el("span", {}, cost),
    el("span", { class: "needs" }, `imports ${thousands(needs.size)}`),
    el("span", { class: "users" }, `imported by ${thousands(users.size)}`), el("span", { class: "where" }, isolated(above.path)));
}

// The folders that arrows lead between: those in the one that is drawn. One that has nearly everything is opened.
const MOST_REGIONS = 14;
const MOST_FLOWS = 18;

function regions() {
  const isLarge = (folder) => folder.layoutId === picture.layoutId && picture.boxes[folder.box].w > 28 && picture.boxes[folder.box].h > 18;
  let found = picture.folder.folders.filter(isLarge);
  const opened = [];
  for (let tries = 0; tries < 5; tries++) {
    const whole = Math.max(picture.folder.weight, 1);
    const giant = found.find((folder) => folder.weight > 0.4 * whole && folder.folders.filter(isLarge).length > 1);
    if (!giant && found.length > 3) break;
    const next = giant ?? found.slice().sort((one, other) => other.weight - one.weight).find((folder) => folder.folders.some(isLarge));
    if (!next) break;
    found = found.filter((folder) => folder !== next).concat(next.folders.filter(isLarge));
    // The files that lie in it directly are drawn as its own.
    if (next.files.some((node) => weightOf(node) > 0)) opened.push(next);
  }
  const closed = found.sort((one, other) => other.weight - one.weight).slice(0, MOST_REGIONS - opened.length);
  // What is inside comes after what is around it.
  return [...opened, ...closed].map((folder) => ({ folder, box: picture.boxes[folder.box], isOpened: opened.includes(folder) }));
}

// Arrows from folders to those that they import from, as wide as they are many. Answers what the line below says.
function drawFlows(ctx) {
  const found = regions();
  const regionOf = new Int32Array(map.count).fill(-1);
  found.forEach(({ folder }, at) => filesBelow(folder).forEach((node) => (regionOf[node] = at)));
  const counts = new Map();
  for (let node = 0; node < map.count; node++) {
    const from = regionOf[node];
    if (from < 0 || weightOf(node) === 0) continue;
    for (let edge = map.offsets[node]; edge < map.offsets[node + 1]; edge++) {
      const to = regionOf[map.targets[edge]];
      if (to >= 0 && to !== from) counts.set(from * MOST_REGIONS + to, (counts.get(from * MOST_REGIONS + to) ?? 0) + 1);
    }
  }
  const all = [...counts].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
  if (all.length === 0) return [];
  const most = all[0][1];
  // A few arrows say more than many.
  const flows = all.slice(0, picture.width < 500 ? MOST_FLOWS / 2 : MOST_FLOWS).filter(([, count]) => count * 16 >= most);
  for (const [key, count] of flows.slice().reverse()) {
    const [from, to] = [found[Math.floor(key / MOST_REGIONS)], found[key % MOST_REGIONS]];
    arrow(ctx, from, to, Math.sqrt(count / most));
  }
  const [first, count] = flows[0];
  return [el("span", {}, "Arrows lead to what is imported."), el("span", { class: "where" },
    "Most: ", isolated(found[Math.floor(first / MOST_REGIONS)].folder.name), " → ", isolated(found[first % MOST_REGIONS].folder.name), ` ${thousands(count)}`)];
}

// An arrow between the middles of two folders; of one that is opened, from its name.
function arrow(ctx, from, to, share) {
  const middle = ({ box, isOpened }) => [box.x + box.w / 2, isOpened ? box.y + HEAD / 2 : box.y + box.h / 2];
  const [[x, y], [toX, toY]] = [middle(from), middle(to)];
  const [dx, dy] = [toX - x, toY - y];
  const length = Math.hypot(dx, dy);
  if (length < 8) return;
  const bend = 0.16;
  const [midX, midY] = [(x + toX) / 2 + dy * bend, (y + toY) / 2 - dx * bend];
  const width = 1 + 3.5 * share;
  const [ux, uy] = [(toX - midX) / Math.hypot(toX - midX, toY - midY), (toY - midY) / Math.hypot(toX - midX, toY - midY)];
  const tip = 5 + 2 * width;
  ctx.strokeStyle = ctx.fillStyle = rgb(colours.theme.accent, 0.25 + 0.55 * share);
  ctx.lineWidth = width;
  ctx.lineCap = "round";
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.quadraticCurveTo(midX, midY, toX - ux * tip * 0.8, toY - uy * tip * 0.8);
  ctx.stroke();
  ctx.beginPath();
  ctx.moveTo(toX, toY);
  ctx.lineTo(toX - ux * tip - uy * tip * 0.55, toY - uy * tip + ux * tip * 0.55);
  ctx.lineTo(toX - ux * tip + uy * tip * 0.55, toY - uy * tip - ux * tip * 0.55);
  ctx.closePath();
  ctx.fill();
}

// What some files import, and who imports them, beyond themselves.
function neighbours(nodes) {
  const inside = new Set(nodes);
  const [needs, users] = [new Set(), new Set()];
  for (const node of nodes) {
    for (let edge = map.offsets[node]; edge < map.offsets[node + 1]; edge++) {
      if (!inside.has(map.targets[edge])) needs.add(map.targets[edge]);
    }
    for (let edge = map.backOffsets[node]; edge < map.backOffsets[node + 1]; edge++) {
      if (!inside.has(map.sources[edge])) users.add(map.sources[edge]);
    }
  }
  return [needs, users];
}

function line(ctx, from, to) {
  if (!to || to === from) return;
  const middle = (box) => [box.x + box.w / 2, box.y + box.h / 2];
  const [[x, y], [toX, toY]] = [middle(from), middle(to)];
  const bend = 0.12;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.quadraticCurveTo((x + toX) / 2 + (toY - y) * bend, (y + toY) / 2 - (toX - x) * bend, toX, toY);
  ctx.stroke();
  ctx.fillRect(toX - 2, toY - 2, 4, 4);
}

function boxAt(x, y) {
  for (let at = picture.boxes.length - 1; at >= 0; at--) {
    const box = picture.boxes[at];
    if (x >= box.x && y >= box.y && x < box.x + box.w && y < box.y + box.h) return at;
  }
  return -1;
}

// Shows a folder whole. What was drawn grows or shrinks into place, unless motion is not wanted.
function zoom(folder) {
  if (folder === picture.folder) return;
  const inside = picture.boxes.find((box) => box.folder === folder);
  const old = picture.folder;
  const before = el("canvas", { width: cells.width, height: cells.height });
  before.getContext("2d").drawImage(cells, 0, 0);
  picture.folder = folder;
  layOut();
  draw();
  const outside = inside ? undefined : picture.boxes.find((box) => box.folder === old);
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  picture.moving = undefined;
  if (!isCalm && (inside || outside)) animate(before, inside, outside);
  repoint(-1);
  for (const listener of picture.listeners) listener();
}
picture.listeners = [];

function animate(before, inside, outside) {
  const start = performance.now();
  const own = picture.moving = {};
  const { width, height } = picture;
  const whole = { x: 0, y: 0, w: width, h: height };
  const frame = (now) => {
    // Another one has begun.
    if (picture.moving !== own) return;
    const part = Math.min((now - start) / 180, 1);
    const eased = 1 - (1 - part) ** 3;
    if (part >= 1) {
      picture.moving = undefined;
      repoint();
      return;
    }
    const ctx = context(over);
    const between = (from, to) => ["x", "y", "w", "h"].map((side) => from[side] + (to[side] - from[side]) * eased);
    ctx.globalAlpha = 1 - eased;
    if (inside) {
      const [x, y, w, h] = between(inside, whole);
      const [growX, growY] = [w / inside.w, h / inside.h];
      ctx.drawImage(before, x - inside.x * growX, y - inside.y * growY, width * growX, height * growY);
    } else {
      ctx.drawImage(before, ...between(whole, outside));
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

function resize() {
  const place = document.getElementById("map").getBoundingClientRect();
  [picture.width, picture.height] = [Math.floor(place.width), Math.floor(place.height)];
  redraw();
}

// Draws anew; what was pointed at may be elsewhere now.
function redraw() {
  layOut();
  draw();
  repoint(-1);
}
