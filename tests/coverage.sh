#!/bin/sh
# coverage.sh BUILD [N]: lines that the tests of a build with TARE_COVERAGE have executed, of each room
# and of all parsers, and the N files (20) with the smallest share.
set -eu
build=$(cd "$1" && pwd)
most=${2:-20}
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Of each source: lines that ran, lines, path. Headers count where they are included: not here.
find "$build" -name '*.gcda' -not -path '*/tests/*' -not -path '*/bench/*' >"$folder/notes"
(cd "$folder" && xargs -n 200 gcov -n <notes 2>gcov.err) | awk -v root="$root/" '
  /^File / { path = substr($0, 7, length($0) - 7); i = index(path, root); if (i) path = substr(path, i + length(root))
             while (sub(/^\.\.\//, "", path)) {} }
  /^Lines executed/ { split($0, a, /[:%]| of /)
    if (path ~ /\.c$/ && path !~ /^(build|tests|\/)|\.pb-c\.c$/) print a[2] * a[4] / 100, a[4], path }' |
  sort -k3 -u >"$folder/files"

share() { # NAME, lines of files on the standard input
  awk -v name="$1" '{ ran += $1; all += $2 } END { if (all) printf "%6.2f %% of %6d lines  %s\n", 100 * ran / all, all, name }'
}
for room in base shapes kernels datasets graph engine calib tools; do
  grep " $room/" "$folder/files" | share "$room" || true
done
# What reads files and texts from outside.
grep -E ' (datasets/|graph/(onnx|table/formats|qdq/undo)/|graph/qdq/onnx_file|engine/file/|calib/file/|shapes/(axis_name|expr_parse|length_input|number|pad_value|policy|profile|streaming|symbol_sum)|base/(base64|infile|source|utf8))' \
  "$folder/files" >"$folder/parsers"
share 'parsers' <"$folder/parsers"
share 'all' <"$folder/files"
echo
awk '$2 >= 10 { printf "%6.2f %% of %5d lines  %s\n", 100 * $1 / $2, $2, $3 }' "$folder/files" | sort -n | head -n "$most"
echo
echo 'parsers:'
awk '$2 >= 10 { printf "%6.2f %% of %5d lines  %s\n", 100 * $1 / $2, $2, $3 }' "$folder/parsers" | sort -n | head -n "$most"
