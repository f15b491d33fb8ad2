#!/usr/bin/env bash
# The licence.
set -euo pipefail

LIMIT=10
readonly NAME="x"
export PATH_EXTRA=/opt
declare -a items=(a b)

# Says hello.
hello() {
    local who=$1
    other=2
    echo "hello $who"
}

function build {
    make -j "$LIMIT"
}

function both() (
    cd /tmp
)

if [ -n "$NAME" ]; then
    inside() { :; }
    LATE=1
fi

cat <<EOF
not() { a function; }
EOF

hello world
