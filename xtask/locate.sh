#!/usr/bin/env bash
# locate.sh SHARED MIRRORS WORK PORTOLAN [STEP]: how well `search --task` finds what issues of SWE-bench Lite changed, against plain BM25.
# SHARED has tools/swebench-locate.py and tools/bm25-locate.py, MIRRORS has the git directories of the twelve projects, WORK keeps data and trees.
# With STEP only every STEP-th task is run. Two lines are printed: the binary's, then that of plain BM25.
set -eu
tools=$1/tools mirrors=$2 work=$3 step=${5:-1}
portolan=$(realpath "$4")
locate() { python3 "$tools/swebench-locate.py" lite "$mirrors" "$work" --step "$step" -- "$@"; }
echo "portolan: $(locate "$portolan" search --task - --format json)"
echo "plain BM25: $(locate python3 "$tools/bm25-locate.py")"
