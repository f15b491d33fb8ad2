// Puts the parts together: what is clicked, what is typed, what follows from what.

const search = document.getElementById("search");

function chooseMode(mode) {
  colours.mode = mode;
  paint();
  draw();
  for (const one of document.getElementById("modes").children) {
    one.setAttribute("aria-checked", String(one.dataset.mode === mode));
    one.tabIndex = one.dataset.mode === mode ? 0 : -1;
  }
  drawLegend();
}

function drawLegend() {
  document.getElementById("legend").replaceChildren(...colours.legend.map(([colour, text]) => {
    const swatch = el("i");
    swatch.style.background = colour;
    return el("li", {}, swatch, shown(text));
  }));
}

function drawCrumbs() {
  const ways = [];
  for (let folder = picture.folder; folder; folder = folder.parent) ways.unshift(folder);
  document.getElementById("crumbs").replaceChildren(...ways.flatMap((folder, at) => {
    const isLast = at === ways.length - 1;
    const way = button(isolated(folder.name), () => openFolder(folder), { class: "link", "aria-current": isLast ? "true" : null });
    return isLast ? [way] : [way, el("span", { "aria-hidden": "true" }, "/")];
  }));
  const { folder } = picture;
  cells.setAttribute("aria-label", `Treemap of ${shown(folder.name)}: ${counted(folder.count, "file")}, ${counted(folder.tokens, "token")}. The list has the same.`);
}

// Goes where the address says, unless it says what is shown.
function follow(isForced) {
  if (isForced !== true && location.hash === page.hash) return;
  const path = addressed();
  const node = map.places.get(path);
  const folder = folderAt(path.replace(/\/$/, ""));
  if (node !== undefined) showFile(node);
  else if (folder) openFolder(folder);
  else showNothing(path);
}


// The path in the address. Somebody may have typed it: a `%` that stands for nothing else is one.
function addressed() {
  return location.hash.slice(1).replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}

function listen() {
  const place = (event) => {
    const box = over.getBoundingClientRect();
    return boxAt(event.clientX - box.left, event.clientY - box.top);
  };
  over.addEventListener("pointermove", (event) => point(place(event)));
  over.addEventListener("pointerleave", () => point(-1));
  over.addEventListener("click", (event) => clicked(picture.boxes[place(event)], event.shiftKey || event.ctrlKey || event.metaKey));
  over.addEventListener("wheel", wheel, { passive: false });
  list.box.addEventListener("scroll", measureList, { passive: true });
  page.addEventListener("scroll", () => { page.isScrolled = true; }, { passive: true });
  list.box.addEventListener("keydown", listKey);
  list.box.addEventListener("click", listClick);
  search.addEventListener("input", () => {
    list.query = search.value.trim();
    scrollList(0);
    if (list.query === "") reveal(page.target);
    else rebuild();
  });
  search.addEventListener("keydown", searchKey);
  document.addEventListener("keydown", pageKey);
  window.addEventListener("hashchange", follow);
  window.addEventListener("resize", () => {
    resize();
    measureList();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  document.getElementById("theme").addEventListener("click", switchTheme);
  for (const name of ["editor", "checkout"]) {
    const input = document.getElementById(name);
    input.value = settings[name];
    input.addEventListener("change", () => {
      settings.set(name, input.value.trim());
      follow(true);
    });
  }
  document.getElementById("code").addEventListener("click", () => setCodeOnly(!picture.isCodeOnly));
  document.getElementById("help").addEventListener("click", () => document.getElementById("keys").showModal());
  for (const name of ["page", "picked"]) document.getElementById(`tab-${name}`).addEventListener("click", () => showTab(name));
  document.querySelector(".tabs").addEventListener("keydown", tabKey);
  document.getElementById("modes").addEventListener("keydown", modeKey);
}

function clicked(box, isPick) {
  if (!box) return;
  const path = box.folder ? pathOf(box.folder) : map.ids[box.node];
  if (isPick) selection.toggle(path);
  else if (box.folder) openFolder(box.folder);
  else showFile(box.node);
}

let lastWheel = 0;

// One folder in or out at a time, however eager the wheel is.
function wheel(event) {
  event.preventDefault();
  if (event.timeStamp - lastWheel < 280 || Math.abs(event.deltaY) < 4) return;
  lastWheel = event.timeStamp;
  const box = over.getBoundingClientRect();
  const pointed = picture.boxes[boxAt(event.clientX - box.left, event.clientY - box.top)];
  if (event.deltaY > 0) {
    if (picture.folder.parent) zoom(picture.folder.parent);
    return;
  }
  let folder = pointed && (pointed.folder ?? map.folderOf[pointed.node]);
  while (folder && folder.parent !== picture.folder) folder = folder.parent;
  if (folder) zoom(folder);
}

function searchKey(event) {
  if (event.key === "ArrowDown" || event.key === "Enter") {
    event.preventDefault();
    if (event.key === "Enter" && list.query !== "" && list.rows[0]) openRow(list.rows[0]);
    list.box.focus({ preventScroll: true });
  }
}

function pageKey(event) {
  const isTyping = event.target.closest?.("input, textarea, dialog");
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    search.focus();
    search.select();
  } else if (event.key === "?" && !isTyping) {
    document.getElementById("keys").showModal();
  } else if (event.key === "Escape" && !event.target.closest?.("dialog")) {
    escape();
  }
}

function escape() {
  if (search.value !== "") {
    search.value = list.query = "";
    reveal(page.target);
    list.box.focus();
  } else if (document.activeElement === search) {
    list.box.focus();
  } else if (picture.folder.parent) {
    zoom(picture.folder.parent);
  }
}

function tabKey(event) {
  if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
  const next = document.getElementById("tab-page").getAttribute("aria-selected") === "true" ? "picked" : "page";
  showTab(next);
  document.getElementById(`tab-${next}`).focus();
}

function modeKey(event) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by) return;
  const all = [...document.getElementById("modes").children];
  const next = all[(all.indexOf(document.activeElement) + by + all.length) % all.length];
  chooseMode(next.dataset.mode);
  next.focus();
}

function setCodeOnly(isCodeOnly) {
  picture.isCodeOnly = isCodeOnly;
  document.getElementById("code").setAttribute("aria-pressed", String(isCodeOnly));
  weigh();
  rankGroups();
  paint();
  resize();
  drawLegend();
  // The lists of a folder have what is drawn.
  if (document.body.dataset.ready && page.path !== null && page.target.folder) showFolder(page.target.folder);
}

function recolour() {
  readTheme();
  draw();
  repoint();
  drawLegend();
}

function switchTheme() {
  const isDark = getComputedStyle(document.documentElement).colorScheme === "dark"
    || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "light" : "dark";
  recolour();
}

function start() {
  document.getElementById("name").append(isolated(map.name));
  document.getElementById("made").textContent = `Written by ${map.made}. Tokens are ${map.tokenizer}.`;
  const cycles = map.cycles.length > 0 ? ` · ${counted(map.cycles.length, "cycle")}` : "";
  document.getElementById("totals").textContent =
    `${counted(root.count, "file")} · ${counted(root.tokens, "token")} · ${counted(map.edgeCount, "edge")}${cycles}`;
  document.getElementById("modes").append(...["importance", "change", "language"].map((mode) =>
    button(mode, () => chooseMode(mode), { role: "radio", "data-mode": mode })));
  selection.listeners.push(() => {
    selection.inFolder = new Set();
    for (const node of selection.nodes) {
      for (let folder = map.folderOf[node]; folder && !selection.inFolder.has(folder); folder = folder.parent) selection.inFolder.add(folder);
    }
    renderRows();
    draw();
    showSelection();
    if (page.path !== null) page.querySelector(".actions")?.replaceWith(pickButtons(page.path));
  });
  picture.listeners.push(drawCrumbs);
  listen();
  readTheme();
  // Locks, pictures and texts would hide the code, where there is any.
  setCodeOnly(filesBelow(root).some(isCode));
  chooseMode("importance");
  drawCrumbs();
  measureList();
  rebuild();
  showSelection();
  if (location.hash.length > 1) follow();
  else showFolder(root);
  document.body.dataset.ready = "true";
  performance.mark("ready");
  // The first letter of a search should not have to wait.
  window.requestIdleCallback?.(() => [searched.ids, searched.names]);
}

// For whoever drives the page by a script: a state in, what it selects and costs out.
window.portolan = {
  load: (text) => selection.load(text),
  state: () => selection.text(),
  tokens: () => selection.tokens,
  members: () => selection.nodes.map((node) => map.ids[node]),
};

start();
