#!/bin/sh
# symbols.sh SOURCE BUILD: FILE KIND SYMBOL of every function that an object of the floors defines (T), has
# for itself (t) or wants (U). Objects of files that are gone stay in a build folder, and do not count.
set -eu
cd "$1"
floors="base shapes kernels datasets graph engine calib tools"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck disable=SC2086 # a list of folders
find $floors -name '*.c' >"$folder/sources"
cd "$2"
# shellcheck disable=SC2086 # a list of folders
find $floors -path '*.dir/*.c.o' -exec nm -A --format=posix {} + |
  sed -n 's#^\([a-z]*\)/.*\.dir/\(.*\)\.o: \([^ ]*\) \([TtU]\).*#\1/\2 \4 \3#p' |
  awk 'NR == FNR {there[$1]; next} $1 in there' "$folder/sources" - >"$folder/symbols"
[ -s "$folder/symbols" ] || {
  echo "$2 holds no objects" >&2
  exit 1
}
cat "$folder/symbols"
