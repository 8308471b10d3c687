#!/bin/sh
# guards.sh SOURCE: every header says in its first lines what it is about, and has the guard of its path.
#   guard    TAREI_<path>, in capitals, / and . as _: TAREI_GRAPH_IR_TYPE_NAME_H in graph/ir/type_name.h;
#            that of include/tare/plan.h is TARE_PLAN_H
#   without  headers that are included once for each instruction set or element type: *_body.h,
#            v16_<isa>.h, and those whose first comment says "Before inclusion" or "Instantiated"
# What counts: every .h of the floors, of include, bench and tests. Tables (.inc) are no headers.
set -eu
cd "$1"
find base shapes kernels datasets graph engine calib tools include bench tests -name '*.h' -exec awk '
  function finish() {
    if (file == "") return
    want = file
    sub(/^include\/tare\//, "", want)
    gsub(/[\/.-]/, "_", want)
    want = (file ~ /^include\// ? "TARE_" : "TAREI_") toupper(want)
    if (!opened) complain("does not begin with a comment")
    if (guard == "" && !repeated) complain("has no guard; expected " want)
    if (guard != "" && guard != want) complain("has the guard " guard ", not " want)
    if (guard != "" && defined != guard) complain("does not define its guard below it")
  }
  function complain(what) {
    print file " " what
    bad = 1
  }
  FNR == 1 {
    finish()
    n++
    file = FILENAME
    guard = defined = ""
    opened = opening = /^\/\*/
    repeated = file ~ /(_body|\/v16_[a-z0-9]+)\.h$/
  }
  opening && /Before inclusion|Instantiated|instantiated/ {repeated = 1}
  opening && /\*\// {opening = 0}
  guard == "" && /^#ifndef [A-Z0-9_]+_H$/ {guard = $2; next}
  guard != "" && defined == "" {defined = $1 == "#define" && NF == 2 ? $2 : "none"}
  END {
    finish()
    exit bad || n == 0
  }' {} + >&2
