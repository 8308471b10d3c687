#!/bin/sh
# functions.sh SOURCE: no function of the floors and of bench has more than MOST lines, from the one with its
# name to its closing brace. Functions that macros make do not count.
set -eu
MOST=50
tests=$(cd "$(dirname "$0")" && pwd)
cd "$1"
sh "$tests/tags.sh" base shapes kernels datasets graph engine calib tools bench | awk -v most=$MOST '
  $1 == "function" {
    split($4, line, "-")
    n++
    if (line[2] - line[1] + 1 > most) {
      print $3 ":" line[1] ": " $2 " has " line[2] - line[1] + 1 " lines, more than " most
      bad = 1
    }
  }
  END { exit bad || n == 0 }' >&2
