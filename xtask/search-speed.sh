#!/usr/bin/env bash
# search-speed.sh PORTOLAN REPOSITORY PATTERN...: wall time of `portolan search` against `rg -n`, the best of seven runs each.
set -eu
portolan=$1 repository=$2
shift 2
best() {
  local least=999999
  for _ in 1 2 3 4 5 6 7; do
    local start end
    start=$(date +%s%N)
    "$@" >/dev/null || true
    end=$(date +%s%N)
    local took=$(((end - start) / 1000000))
    if [ "$took" -lt "$least" ]; then least=$took; fi
  done
  echo "$least"
}
cd "$repository"
for pattern in "$@"; do
  echo "$pattern: rg $(best rg -n -- "$pattern" .) ms, portolan $(best "$portolan" search -e "$pattern") ms"
done
