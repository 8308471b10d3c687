#!/bin/sh
# names.sh SOURCE BUILD: a name stands for one thing, so that grep, debuggers and profilers tell it from others.
#   functions  no two files define one of the same name, whether it is static or not
#   types      no two files define a struct, union, enum or typedef of the same name; `typedef struct x x;`
#              only declares
# What counts: what the floors, include and bench define in the text, and what macros make in the objects of
# the floors. What does not:
#   main
#   kernels of several instruction sets, whose names TAREI_K makes, or PLANES for element types
#   the lanes of v16: v16.h and v16_<isa>.h count as one file
#   what a header without a guard expects of the files that include it: its first comment names it
set -eu
SOURCE=$1 BUILD=$2
tests=$(cd "$(dirname "$0")" && pwd)
floors="base shapes kernels datasets graph engine calib tools"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$SOURCE"

# shellcheck disable=SC2086 # a list of folders
sh "$tests/tags.sh" include $floors bench >"$folder/tags"
awk '{
    kind = $1
    name = $2
    file = $3
    text = $0
    sub(/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ /, "", text)
    sub(/\/v16_[a-z0-9]+\.h$/, "/v16.h", file)
    if (name == "main" || index(text, "TAREI_K(" name ")") || index(text, "PLANES(" name ")")) next
    if (text ~ "^typedef (struct|union|enum) " name " " name ";") next
    print (kind == "function" ? "function" : "type"), name, file
  }' "$folder/tags" >"$folder/written"

# Functions in headers are in the objects of all that include them. Where lanes are not inlined, to be
# instrumented, so is what macros make of them.
sh "$tests/symbols.sh" "$SOURCE" "$BUILD" >"$folder/symbols"
awk '$2 == "t" && $1 ~ /^kernels\// && $3 == "v_add" {found = 1} END {exit !found}' "$folder/symbols" && lanes=1 || lanes=0
awk -v lanes="$lanes" 'NR == FNR {if ($1 == "function" && $3 !~ /\.c$/) header[$2]; next}
  $2 != "T" && ($2 != "t" || $3 ~ /^(asan|_|tarei_)/) {next}
  {sub(/\..*/, "", $3)}
  $3 == "main" || $3 in header || lanes && $1 ~ /^kernels\// {next}
  {print "function", $3, $1}' "$folder/written" "$folder/symbols" >"$folder/made"

# shellcheck disable=SC2086 # a list of folders
find $floors -name '*.h' -exec grep -L '^#ifndef [A-Z0-9_]*_H$' {} + >"$folder/open"

# is_expected NAME FILE...: a header without a guard expects it of all these files.
is_expected() {
  name=$1
  shift
  while read -r header; do
    sed '/\*\//q' "$header" | grep -qw "$name" || continue
    [ "$(grep -lF "#include \"$header\"" "$@" | wc -l)" -ne $# ] || return 0
  done <"$folder/open"
  return 1
}

sort -u "$folder/written" "$folder/made" |
  awk '{key = $1 " " $2; files[key] = files[key] " " $3; n[key]++} END {for (k in n) if (n[k] > 1) print k files[k]}' |
  sort >"$folder/several"
while read -r kind name files; do
  # shellcheck disable=SC2086 # a list of paths
  is_expected "$name" $files || echo "$kind $name is defined in: $files"
done <"$folder/several" >"$folder/bad"
cat "$folder/bad" >&2
[ -s "$folder/written" ] && [ -s "$folder/made" ] && [ ! -s "$folder/bad" ]
