#!/usr/bin/env bash
# six-functions.sh PORTOLAN DJANGO: bytes on the screen for one real question, the six functions around Django's ticket #37274.
# DJANGO is a checkout of c72f5fb4793f2cac66d76e3cbd590499ad85b89e, the commit before its fix.
set -eu
portolan=$1
cd "$2"
pattern='annotation_select\b|to promote it'
sql=django/db/models/sql
query='names_to_path annotation_select set_values resolve_ref'
compiler='get_distinct get_order_by'
bytes() { wc -c | tr -d ' '; }
# The lines of a function, as its reader would find them: by the next line that is indented as far.
body() {
  awk -v name="$2" '
    $0 ~ "^    def " name "\\(" { on = 1; print FNR ":" $0; next }
    on && /^    [^ ]/ && !/^    \)/ { exit }
    on { print }' "$1"
}
rg_bytes=$(rg -n "$pattern" . | bytes)
sed_bytes=0
for name in $query; do sed_bytes=$((sed_bytes + $(body $sql/query.py "$name" | bytes))); done
for name in $compiler; do sed_bytes=$((sed_bytes + $(body $sql/compiler.py "$name" | bytes))); done
echo "rg and whole functions: $rg_bytes + $sed_bytes = $((rg_bytes + sed_bytes)) bytes"
targets="$sql/query.py#Query.{${query// /,}} $sql/compiler.py#SQLCompiler.{${compiler// /,}}"
found=$("$portolan" search "$pattern" | bytes)
whole=$("$portolan" read $targets --needs none | bytes)
parts=$("$portolan" read $targets --match 'annotation_select|annotations\b|promote it' | bytes)
echo "search and read: $found + $whole = $((found + whole)) bytes"
echo "search and read --match: $found + $parts = $((found + parts)) bytes"
