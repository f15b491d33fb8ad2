// Colours of the picture: the theme's, and what a file has in each of the modes.

const GROUPS = 9;
const STEPS = 24;
const colours = { theme: {}, mode: "importance", fill: new Array(map.count), legend: [] };
const groups = { of: map.ids.map((_, node) => groupOf(node)), order: [], places: new Map() };

// The language of a file; one in none is of its ending, written as languages are.
function groupOf(node) {
  const name = nameOf(node);
  const ending = name.lastIndexOf(".") > 0 ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "no ending";
  return map.language[node] === "other" ? ending : map.language[node];
}

// Puts the languages of the files that are drawn in order of what they cost. The largest have a colour.
function rankGroups() {
  const sums = new Map();
  for (let node = 0; node < map.count; node++) {
    const weight = map.kinds[node] === SOURCE ? weightOf(node) : 0;
    if (weight > 0) sums.set(groups.of[node], (sums.get(groups.of[node]) ?? 0) + weight);
  }
  groups.order = [...sums.keys()].sort((one, other) => sums.get(other) - sums.get(one) || compare(one, other));
  groups.places = new Map(groups.order.slice(0, GROUPS).map((name, at) => [name, at]));
}

// The colours of the theme as the style sheet has them, light or dark.
function readTheme() {
  const probe = el("i");
  document.body.append(probe);
  const read = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
  };
  const names = ["paper", "ink", "muted", "line", "accent", "needs", "users", "cell", "low", "high", "warm", "fresh"];
  for (const name of names) colours.theme[name] = read(name);
  colours.theme.groups = Array.from({ length: GROUPS }, (_, at) => read(`group-${at}`));
  probe.remove();
  paint();
}

const rgb = ([red, green, blue], alpha = 1) => `rgb(${red} ${green} ${blue} / ${alpha})`;
const mixed = (one, other, share) => one.map((part, at) => Math.round(part + (other[at] - part) * share));

// Gives every file its colour, and says what the colours mean.
function paint() {
  const { theme, mode } = colours;
  if (mode === "language") return paintLanguages(theme);
  const isChange = mode === "change";
  const values = isChange ? map.often : map.importers;
  const most = map.folderOf.reduce((all, _, node) => (map.isGenerated[node] ? all : Math.max(all, values[node])), 0);
  const high = isChange ? theme.warm : theme.high;
  const ramp = Array.from({ length: STEPS + 1 }, (_, step) => rgb(mixed(theme.low, high, step / STEPS)));
  const step = (value) => Math.round((STEPS * Math.log1p(Math.min(value, most))) / Math.log1p(Math.max(most, 1)));
  for (let node = 0; node < map.count; node++) colours.fill[node] = ramp[map.isGenerated[node] ? 0 : step(values[node])];
  if (!isChange) {
    colours.legend = [[ramp[0], "imported by none"], [ramp[STEPS >> 1], ""], [ramp[STEPS], `by ${thousands(most)}`]];
    return;
  }
  colours.legend = map.commits > 0
    ? [[ramp[0], "never"], [ramp[STEPS >> 1], ""], [ramp[STEPS], `${thousands(most)} of ${counted(map.commits, "commit")}`]]
    : [[ramp[0], "no history"]];
  if (!map.isChanged) return;
  const fresh = rgb(theme.fresh);
  for (let node = 0; node < map.count; node++) if (map.isChanged[node]) colours.fill[node] = fresh;
  colours.legend.push([fresh, "not committed"]);
}

function paintLanguages(theme) {
  const fills = theme.groups.map((colour) => rgb(colour));
  const rest = rgb(theme.cell);
  for (let node = 0; node < map.count; node++) colours.fill[node] = fills[groups.places.get(groups.of[node])] ?? rest;
  colours.legend = groups.order.slice(0, GROUPS).map((name, at) => [fills[at], name]);
  if (groups.order.length > GROUPS) colours.legend.push([rest, "others"]);
}
