#!/bin/sh
# structure.sh SOURCE BUILD: how the files of the floors hang together.
#   rooms    no folder has more than 40 sources
#   circles  no file calls another that calls it back, also not over third ones
#   guides   the files and symbols that docs/extending.md and docs/architecture.md name are there
set -eu
SOURCE=$1 BUILD=$2
MOST=40
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
floors="base shapes kernels datasets graph engine calib tools"
bad=0

fail() {
  echo "$1" >&2
  bad=1
}

cd "$SOURCE"
find $floors tests bench \( -name '*.c' -o -name '*.h' -o -name '*.inc' \) | sed 's#/[^/]*$##' | sort |
  uniq -c | awk -v most=$MOST '$1 > most {print $2 " holds " $1 " sources, more than " most}' >"$folder/rooms"
[ ! -s "$folder/rooms" ] || fail "$(cat "$folder/rooms")"

sh "$SOURCE/tests/structure/symbols.sh" "$SOURCE" "$BUILD" >"$folder/symbols"
awk '$2 == "T" {home[$3] = $1; next} $2 == "U" {wants[n++] = $1 " " $3}
  END {for (i = 0; i < n; i++) {split(wants[i], w, " "); if (w[2] in home) print w[1], home[w[2]]}}' \
  "$folder/symbols" | sort -u >"$folder/calls"
tsort "$folder/calls" >/dev/null 2>"$folder/circles" || fail "files that call one another in a circle:
$(sed 's/^.*: input contains a loop:$/circle:/; s/^tsort: //' "$folder/circles")"

# What the guides name in backquotes: <name> stands for any, a name without a folder is somewhere.
for guide in docs/extending.md docs/architecture.md; do
  grep -oE '`[A-Za-z0-9_./<>*-]+\.(c|h|inc|cmake|md|txt|sh)`|`(tarei|TAREI|TARE)_[A-Za-z0-9_]+`' $guide |
    tr -d '`' | sort -u | sed 's/<[^>]*>/*/g' | while read -r name; do
      case $name in
      .* | */conformance/*) continue ;;
      *.*) [ -n "$(find . -path ./build -prune -o -path "*/$name" -print -quit)" ] && continue ;;
      *) grep -rqw "$name" $floors include cmake CMakeLists.txt && continue ;;
      esac
      echo "$guide: \`$name\` is not there"
    done
done >"$folder/missing"
[ ! -s "$folder/missing" ] || fail "$(cat "$folder/missing")"
exit $bad
