#!/bin/sh
# usage: no_spills.sh OBJDUMP OBJECTS
# No inner loop that multiplies may load or store vectors relative to the stack pointer: a spilled
# accumulator halves the speed and no other test would notice. OBJECTS is separated by ';'.
# An inner loop is the range from the target of a backward conditional jump to that jump with no other
# of them within.
objdump=${1:-objdump}
command -v "$objdump" >/dev/null 2>&1 || { echo "skipped: no objdump"; exit 77; }

status=0
saved_ifs=$IFS
IFS=';'
for object in $2; do
  IFS=$saved_ifs
  [ -f "$object" ] || { echo "no such object: $object"; exit 1; }
  "$objdump" -d --no-show-raw-insn "$object" | awk -v object="${object##*/}" '
    function hex(s,   i, v) {
      v = 0
      for (i = 1; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
      return v
    }
    function check_loop(from, to,   i, hot, bad) {
      for (i = from; i <= to; i++) {
        if (text[i] ~ /vpdpbusd|vpmaddwd|vfmadd|sdot|fmla/) hot++
        if (text[i] ~ /[xyz]mm/ && text[i] ~ /\(%[re]?[sb]p[,)]/) bad = text[i]
        if (text[i] ~ /[\t ,][qds][0-9]+, *\[sp/) bad = text[i]
      }
      if (hot >= 2) loops++
      if (hot >= 2 && bad != "") { print object ": spill in a hot loop of " name ": " bad; spills++ }
    }
    /^[0-9a-f]+ <.*>:$/ { name = $2; n = 0; last_back = 0; delete line_of; next }
    /^ *[0-9a-f]+:/ {
      split($0, part, ":")
      gsub(/ /, "", part[1])
      text[++n] = $0
      line_of[hex(part[1])] = n
      jump = $2 ~ /^(j|b$|b\.)/ ? $3 : $2 ~ /^(cb|tb)/ ? $(NF - 1) : ""
      if (jump ~ /^[0-9a-f]+$/ && (hex(jump) in line_of)) {
        from = line_of[hex(jump)]
        if (from > last_back) check_loop(from, n)
        last_back = n
      }
    }
    END {
      if (!loops) { print object ": no hot loop found"; exit 1 }
      print object ": " loops " hot loops"
      exit spills > 0
    }' || status=1
  IFS=';'
done
exit $status
