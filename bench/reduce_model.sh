#!/bin/sh
# reduce_model.sh [PART_MB] [ADD_S] [SAVE_S] [MB_PER_S] [DELAY_S] [SAMPLE_S] [AHEAD]: how long adding
# up and the last samples take on 1 to 1,000 ranks, as docs/scale.md says. Defaults: measured values
# there; 100 MB/s and 0.5 ms are those of a network of 1 Gbit/s.
set -eu
awk -v part="${1:-7.3}" -v add="${2:-0.13}" -v save="${3:-0.13}" -v speed="${4:-100}" \
  -v delay="${5:-0.0005}" -v sample="${6:-0.0142}" -v ahead="${7:-9}" 'BEGIN {
  printf "%6s %7s %10s %14s %16s\n", "ranks", "levels", "tree [s]", "one by one [s]", "last samples [s]"
  count = split("1 2 4 8 16 64 256 1000", n, " ")
  for (k = 1; k <= count; k++) {
    levels = 0
    for (at = n[k]; at > 1; at = int(at / 2)) levels++
    send = delay + part / speed
    # both children of a rank are added one after the other
    tree = levels * (send + 2 * add + save)
    serial = (n[k] - 1) * (send + add)
    printf "%6d %7d %10.2f %14.2f %16.2f\n", n[k], levels, tree, serial, ahead * sample
  }
}'
