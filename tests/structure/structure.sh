#!/bin/sh
# structure.sh SOURCE BUILD: how the files of the floors hang together.
#   rooms    no folder has more than 40 sources
#   circles  no file calls another that calls it back, also not over third ones
#   guides   the files and symbols that docs/extending.md and docs/architecture.md name are there
#   names    no local function and no type has the name of one in another file, neither in the text
#            nor, where macros make it, in the objects; v16_<isa>.h excepted, which make the same lanes
#            of each instruction set, and what a header expects under one name from who includes it
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

# FILE KIND SYMBOL of every function that an object defines (T), has for itself (t) or wants (U).
# Objects of files that are gone stay in a build folder.
cd "$BUILD"
find $floors -path '*.dir/*.c.o' -exec nm -A --format=posix {} + |
  sed -n 's#^\([a-z]*\)/.*\.dir/\(.*\)\.o: \([^ ]*\) \([TtU]\).*#\1/\2 \4 \3#p' >"$folder/all"
(cd "$SOURCE" && find $floors -name '*.c') | awk -v all="$folder/all" '{there[$1]}
  END {while ((getline line <all) > 0) {split(line, f, " "); if (f[1] in there) print line}}' \
  >"$folder/symbols"
[ -s "$folder/symbols" ] || fail "$BUILD holds no objects"

awk '$2 == "T" {home[$3] = $1; next} $2 == "U" {wants[n++] = $1 " " $3}
  END {for (i = 0; i < n; i++) {split(wants[i], w, " "); if (w[2] in home) print w[1], home[w[2]]}}' \
  "$folder/symbols" | sort -u >"$folder/calls"
tsort "$folder/calls" >/dev/null 2>"$folder/circles" || fail "files that call one another in a circle:
$(sed 's/^.*: input contains a loop:$/circle:/; s/^tsort: //' "$folder/circles")"

# NAME FILE of what more than one file defines.
shared_names() {
  sort -u | awk '{files[$1] = files[$1] " " $2; n[$1]++} END {for (f in n) if (n[f] > 1) print f ":" files[f]}'
}

# Where lanes are not inlined, to be instrumented, their functions are in the objects of kernels too.
kernels=kernels/
grep -q ' t v_add$' "$folder/symbols" || kernels=none/
awk -v kernels="^$kernels" '$2 == "t" && $1 !~ kernels && $3 !~ /^(asan|_|tarei_)/ {sub(/\..*/, "", $3); print $3, $1}' \
  "$folder/symbols" | shared_names >"$folder/names"
[ ! -s "$folder/names" ] || fail "local functions of one name in more than one file:
$(cat "$folder/names")"

cd "$SOURCE"
find $floors bench -name '*.[ch]' ! -name 'v16_*.h' -exec awk '
  /^(static|TAREI_INLINE|V16_FUNCTION) / && /\(/ {
    line = $0
    gsub(/__attribute__\(\([^)]*\)+/, "", line)
    if (line ~ /^[^(]*=/ || line ~ /^[^(]*\(\*/) next
    sub(/\(.*/, "", line)
    sub(/.*[^A-Za-z0-9_]/, "", line)
    if (line != "TAREI_K" && line != "half_panel" && line != "gemm_steps") print line, FILENAME
  }
  /^(typedef )?(struct|union|enum) [A-Za-z0-9_]+ \{/ {sub(/^typedef /, ""); print "type:" $2, FILENAME}
' {} + >"$folder/defined"
[ -s "$folder/defined" ] || fail "$SOURCE defines no function"
shared_names <"$folder/defined" >"$folder/names"
[ ! -s "$folder/names" ] || fail "functions or types of one name in more than one file:
$(cat "$folder/names")"
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
