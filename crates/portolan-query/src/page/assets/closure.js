// What a state selects: the walk of `portolan select` over the same edges. A test holds the two together.

// What seeds reach. Those with the same kinds share a walk, which goes level by level from the deepest wish down,
// so that a node is first met with the most that is left for it.
function reach(seeds) {
  const found = new Uint8Array(map.count);
  const groups = new Map();
  for (const { node, depth, kinds } of seeds) {
    const followed = depth > 0 ? kinds : 0;
    if (!groups.has(followed)) groups.set(followed, []);
    groups.get(followed).push({ node, depth: followed === 0 ? 0 : depth });
  }
  for (const [kinds, group] of groups) walk(kinds, group, found);
  return found;
}

function walk(kinds, seeds, found) {
  seeds.sort((one, other) => other.depth - one.depth);
  const seen = new Uint8Array(map.count);
  let [frontier, left, waiting] = [[], 0, 0];
  const visit = (node, list) => {
    if (seen[node]) return;
    seen[node] = found[node] = 1;
    list.push(node);
  };
  while (frontier.length > 0 || waiting < seeds.length) {
    if (frontier.length === 0) left = seeds[waiting].depth;
    for (; waiting < seeds.length && seeds[waiting].depth === left; waiting++) visit(seeds[waiting].node, frontier);
    if (left === 0) return;
    const next = [];
    for (const node of frontier) {
      for (let edge = map.offsets[node]; edge < map.offsets[node + 1]; edge++) {
        if (map.edgeKinds[edge] & kinds) visit(map.targets[edge], next);
      }
    }
    frontier = next;
    left--;
  }
}

// The nodes that entries select: what includes reach, without what excludes reach and what is no file.
function selectNodes(entries) {
  const seeds = (isExclude) => entries
    .filter((entry) => entry.isExclude === isExclude)
    .flatMap(({ nodes, depth, kinds }) => nodes.map((node) => ({ node, depth, kinds })));
  const found = reach(seeds(false));
  const taken = reach(seeds(true));
  const selected = [];
  for (let node = 0; node < map.count; node++) {
    if (found[node] && !taken[node] && map.kinds[node] <= EXTERNAL) selected.push(node);
  }
  return selected;
}
