#!/bin/sh
# Every model of a folder with its own data, float and int8, in turns with ONNX Runtime; writes the
# table of docs/performance.md to stdout, the slowest model first. Nothing else should run meanwhile.
#
# usage: bench/real/run.sh BUILD FOLDER OUT [MODEL...]
#   BUILD   a build folder made with -DTARE_BENCH=ON
#   FOLDER  where models lie, NAME.onnx, with their data beside them: inputs/NAME if it is there,
#           else what inputs and reference/NAME both have, else, without reference, all of inputs
#   OUT     a folder that receives tables, plans, quantized models and one line of figures a model
#   MODEL   names of models (default: all). Q/DQ models have no float form, and are left out
# ORT, the path of libonnxruntime.so.1: without it there are no peers.
# THREADS (default 1,2), ROUNDS, turns that everybody gets (default 7).
set -eu
if [ $# -lt 3 ]; then
  sed -n '5,13s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
build=$1 folder=$2 out=$3
shift 3
tare=$build/tools/tare
mkdir -p "$out"

data_of() { # FOLDER NAME: a path a line
  if [ -e "$1/inputs/$2" ]; then
    echo "$1/inputs/$2"
    return
  fi
  for case in "$1"/inputs/*; do
    if [ ! -d "$1/reference" ] || [ -e "$1/reference/$2/${case##*/}" ]; then
      echo "$case"
    fi
  done
}

# What a model is measured with, and what the commands say in AT.log; 1 where a step fails, whose
# message goes to stderr.
prepare() { # MODEL AT, the beginning of its files' names; its data are the parameters after them
  model=$1 at=$2
  shift 2
  "$tare" calibrate -q "$model" "$@" --profile auto --all-tensors -o "$at.json" &&
    "$tare" build -q "$model" --calib "$at.json" -o "$at.int8.plan" &&
    "$tare" build -q "$model" --calib "$at.json" --layer-precisions '*:fp32' \
      -o "$at.fp32.plan" || return 1
  for form in float dynamic; do
    "$tare" export -q "$model" --calib "$at.json" --row-scales "$form" \
      -o "$at.qdq-$form.onnx" || rm -f "$at.qdq-$form.onnx"
  done
}

measure() { # MODEL AT DATA...
  model=$1 at=$2
  shift 2
  set -- --int8 "$at.int8.plan" --fp32 "$at.fp32.plan" --threads "${THREADS:-1,2}" \
    --rounds "${ROUNDS:-7}" "$@"
  if [ -n "${ORT:-}" ]; then
    set -- --ort "$ORT" --peer "f32=$model" "$@"
    for form in float dynamic; do
      [ ! -e "$at.qdq-$form.onnx" ] || set -- --peer "qdq-$form=$at.qdq-$form.onnx" "$@"
    done
  fi
  "$build/bench/bench_real" "$@"
}

wanted() { # NAME MODEL...
  name=$1
  shift
  [ $# -gt 0 ] || return 0
  for one; do
    [ "$one" != "$name" ] || return 0
  done
  return 1
}

rm -f "$out"/*.tsv
find "$folder" -name '*.onnx' | sort | while read -r model; do
  name=${model##*/}
  name=${name%.onnx}
  if ! wanted "$name" "$@" || [ ! -d "${model%/*}/inputs" ]; then
    continue
  fi
  echo "== $name" >&2
  data_of "${model%/*}" "$name" >"$out/data.txt"
  (
    set -- # the data, a path each
    while read -r path; do
      set -- "$@" "$path"
    done <"$out/data.txt"
    if [ $# -eq 0 ]; then
      echo "$name: no data" >&2
    elif prepare "$model" "$out/$name" "$@" >"$out/$name.log"; then
      measure "$model" "$out/$name" "$@" >"$out/$name.part" && mv "$out/$name.part" "$out/$name.tsv"
    fi
  ) || echo "$name: not measured" >&2
done
rm -f "$out/data.txt" "$out"/*.part

echo '| model | threads | float ms: ONNX Runtime | tare | int8 ms: ONNX Runtime | tare |' \
  'float over its float | int8 over its float | int8 over its int8 | int8 over own float |' \
  'costliest operator of int8 |'
echo '|---|---|---|---|---|---|---|---|---|---|---|'
for file in "$out"/*.tsv; do
  [ -e "$file" ] || continue
  name=${file##*/}
  sed "s/^/${name%.tsv}	/" "$file"
done | sort -t '	' -k2,2n -k9,9n |
  awk -F '\t' '{
    printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s, %s %% |\n",
      $1, $2, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 }'
