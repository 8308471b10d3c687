#!/bin/sh
# tutorials.sh TARE SOURCE: the commands of docs/tutorials.md work as they are written there, one after the other, in a folder with
# the examples; lines of their output that the tutorials show without numbers appear.
set -eu
tare=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/run"
ln -s "$tare" "$work/bin/tare"
ln -s "$source/examples" "$work/run/examples"
awk '/^```/ {inside = !inside; next}
  inside && /^\$ / {command = 1}
  inside && command {line = $0; sub(/^\$ /, "", line); print line; if (line !~ /\\$/) command = 0}' \
  "$source/docs/tutorials.md" >"$work/commands"
test "$(grep -c '^tare' "$work/commands")" -ge 8
cd "$work/run"
PATH=$work/bin:$PATH sh -eux "$work/commands" >"$work/out" 2>"$work/err" || {
  tail -n 20 "$work/err"
  exit 1
}
for shown in 'inputs     audio float32 \[batch, samples\]' 'samples    20, 0 bad' 'row scales' 'within the noise' 'equal within noise' \
  'verdict  one table is enough' 'layers     25: .* int8' '^raised  .* which 8 bits cost too much' 'found      0 errors, 0 warnings, 0 notes' '^TRT-[0-9]*-EntropyCalibration2'; do
  grep -q "$shown" "$work/out" || {
    echo "no line '$shown'"
    exit 1
  }
done
for file in digits.stats digits.calib.json digits.plan intents.html intents.int8.onnx digits.cache; do
  test -s "$file"
done
