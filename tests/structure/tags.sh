#!/bin/sh
# tags.sh FOLDER...: KIND NAME FILE FIRST-LAST TEXT of each function, struct, union, enum and typedef that
# the sources there define: its lines (a typedef has no last one), and the text of the one with its name.
# Functions that macros make are not among them. Needs ctags (universal-ctags).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
find "$@" \( -name '*.c' -o -name '*.h' -o -name '*.inc' \) | sort >"$folder/files"

tags() {
  kinds=$1
  shift
  ctags -x --languages=C --langmap=C:+.h.inc --kinds-C="$kinds" --fields=+neKS "$@" -L "$folder/files"
}

# A call of a macro stands where a function could, and would be taken for one, or for a part of the next.
# Some macros make the name of a function that is written out.
naming='TAREI_K|PLANES'
tags d --_xformat='%N %S' | awk -v naming="^($naming)$" '$2 ~ /^\(/ && $1 !~ naming && $1 ~ /^[A-Z0-9_]+$/ {print $1 "+"}' |
  sort -u >"$folder/macros"
tags fsugt --param-CPreProcessor:_expand=true -D 'TAREI_K(name)=name' -D 'PLANES(name)=name' \
  -D 'TAREI_INLINE=static inline' -D 'TAREI_LANE=static inline' -D 'TAREI_STEP=static inline' \
  -I "@$folder/macros" --_xformat='%K %N %F %n-%e %C' | grep -v ' __anon'
