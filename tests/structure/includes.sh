#!/bin/sh
# includes.sh SOURCE: no modules of the floors and of the benchmarks include one another in a circle, also
# not over third ones.
# A module is all files of one path but for the suffix: X.c or X.cc, its header X.h, and X.inc. It depends on
# Y if one of its files has a line #include "Y.h" or "Y.inc", where Y is another module. A header that
# several sources make therefore has no source of its name, for one of them is bound to include what
# builds upon the header; nor has a header of structs that a source shares with those whose headers it
# includes.
set -eu
SOURCE=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$SOURCE"

# MODULE MODULE FILE:LINE of every include of another module. Where a file has the header of a library,
# which is in none of these folders, nothing depends on it.
find base shapes kernels datasets graph engine calib tools bench \
  \( -name '*.c' -o -name '*.cc' -o -name '*.h' -o -name '*.inc' \) -exec awk '
  /^[ \t]*#[ \t]*include[ \t]*"/ {
    from = FILENAME
    sub(/\.[a-z]*$/, "", from)
    to = $0
    sub(/^[^"]*"/, "", to)
    sub(/".*/, "", to)
    sub(/\.[a-z]*$/, "", to)
    if (from != to) print from, to, FILENAME ":" FNR
  }' {} + >"$folder/includes"
[ -s "$folder/includes" ] || { echo "$SOURCE includes nothing" >&2 && exit 1; }

cut -d ' ' -f 1,2 "$folder/includes" | sort -u | tsort >/dev/null 2>"$folder/loops" && exit 0

# tsort names the modules of a circle one below the other; the lines that make it say more.
echo "modules that include one another in a circle:" >&2
sed 's/^tsort: //' "$folder/loops" | awk -v includes="$folder/includes" '
  function close_circle(  i, from, to) {
    for (i = 0; i < n; i++) {
      from = circle[i]
      to = circle[(i + 1) % n]
      print "  " (((from, to) in at) ? at[from, to] : at[to, from])
    }
    n = 0
  }
  BEGIN {
    while ((getline line <includes) > 0) {
      split(line, f, " ")
      if (!((f[1], f[2]) in at)) at[f[1], f[2]] = f[3] " includes " f[2]
    }
  }
  /input contains a loop/ { close_circle(); print "circle:"; next }
  { circle[n++] = $0 }
  END { close_circle() }' >&2
exit 1
