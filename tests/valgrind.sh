#!/bin/sh
# valgrind.sh BUILD [REGEX]: runs the unit tests of a build under valgrind, one on each core, and prints
# what fails. REGEX chooses among their names; without it all run. Threads take turns fairly
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
ctest --test-dir "$build" -N -V -L unit -R "$names" |
  sed -n 's|^[0-9]*: Test command: \([^ ]*/tests/unit/[^ ]*\) "\([^" ]*\)"$|\1 \2|p' |
  xargs -P "$(nproc)" -n 2 sh -c '
    name=$(basename "$1").$2
    cd "$folder" # where tests leave their files
    valgrind -q --fair-sched=yes --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect \
      --errors-for-leak-kinds=definite,indirect --suppressions="$suppressions" \
      "$1" "$2" >"$folder/$name.log" 2>&1 && code=0 || code=$?
    [ $code = 0 ] || [ $code = 77 ] || { cat "$folder/$name.log"; echo "$name: exit $code"; echo "$name" >>"$folder/failed"; }
    echo "$name" >>"$folder/ran"' sh
echo "$(wc -l <"$folder/ran") tests ran"
[ ! -e "$folder/failed" ]
