#!/bin/sh
# valgrind.sh BUILD [REGEX]: runs the unit tests of a build under valgrind, one on each core, and prints
# what fails. REGEX chooses among their names; without it all quick ones run. Threads take turns fairly
# (--fair-sched): otherwise one that waits for another keeps it from running.
set -eu
build=$1
names=${2:-.}
suppressions=$(cd "$(dirname "$0")" && pwd)/valgrind.supp
command -v valgrind >/dev/null || { echo "valgrind is missing"; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export folder suppressions TARE_ISA=any # as ctest has it

# shellcheck disable=SC2016 # expanded by the inner shell
ctest --test-dir "$build" -N -V -L quick -R "$names" |
  sed -n 's|^[0-9]*: Test command: \([^ ]*/tests/unit/[^ ]*\)$|\1|p' | sort -u |
  xargs -P "$(nproc)" -n 1 sh -c '
    name=$(basename "$1")
    cd "$folder" # where tests leave their files
    valgrind -q --fair-sched=yes --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect \
      --errors-for-leak-kinds=definite,indirect --suppressions="$suppressions" \
      "$1" >"$folder/$name.log" 2>&1 && code=0 || code=$?
    [ $code = 0 ] || [ $code = 77 ] || { cat "$folder/$name.log"; echo "$name: exit $code"; echo "$name" >>"$folder/failed"; }
    echo "$name" >>"$folder/ran"' sh
echo "$(wc -l <"$folder/ran") programs ran"
[ ! -e "$folder/failed" ]
