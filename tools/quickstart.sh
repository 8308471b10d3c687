#!/bin/sh
# Builds tare and runs the main job on the shipped examples: calibrate on data of any length, build
# an INT8 engine, and see its accuracy beside the float model's. Usage: sh tools/quickstart.sh
set -eu
. "$(dirname "$0")/usage.sh"
tare_takes 0 "$@"
cd "$(dirname "$0")/.."
. tools/deps.sh
# shellcheck disable=SC2086 # the list is meant to be split
tare_install $TARE_PACKAGES

cmake --preset release -DTARE_TESTS=OFF -DTARE_BENCH=OFF -DTARE_WERROR=OFF -G Ninja -B build/quickstart >/dev/null
cmake --build build/quickstart
tare=build/quickstart/tools/tare
out=build/quickstart/out
mkdir -p "$out"

say() { printf '\n== %s\n' "$1"; }
run() {
  printf '$ tare'
  printf ' %s' "$@"
  printf '\n'
  "$tare" "$@"
}

say "Spoken digits: recordings of different length to an INT8 engine"
digits=examples/digits-conv
run calibrate $digits/digits-conv.onnx $digits/calib --rate 8000 \
  --profile samples=1600:32000:120000 -o "$out/digits.stats"
run table "$out/digits.stats" --method minmax -o "$out/digits.calib.json"
run build $digits/digits-conv.onnx --calib "$out/digits.calib.json" -o "$out/digits.plan"
run run "$out/digits.plan" $digits/eval --rate 8000 --against $digits/digits-conv.onnx \
  --metric ctc-error --alphabet 0123456789 --labels digits

say "The same, as a calibration cache for TensorRT"
run calibrate $digits/digits-conv.onnx $digits/calib --rate 8000 \
  --profile samples=1600:32000:120000 -o "$out/digits.cache"
head -n 3 "$out/digits.cache"

say "Intents: token ids of different length, every strategy side by side"
intents=examples/intents-mini
run compare $intents/intents-mini.onnx $intents/calib.h5 --eval $intents/eval.h5 \
  --profile sequence=4:32:64 --profile sequence=65:192:512 --fits native,opt,per-profile \
  --methods minmax,entropy,percentile,mse --metric accuracy --labels labels

say "Done. The command is $tare; try: $tare --help"
