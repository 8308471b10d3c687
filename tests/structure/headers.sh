#!/bin/sh
# headers.sh SOURCE: every public function has a comment of its own right above its declaration.
set -eu
cd "$1"
awk '
  /^TARE_API/ {
    n++
    if (before !~ /\*\/$/) {
      print FILENAME ":" FNR ": no comment above: " $0
      bad = 1
    }
  }
  { before = $0 }
  END { exit bad || n == 0 }' include/tare/*.h >&2
