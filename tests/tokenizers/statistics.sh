#!/bin/sh
# Texts give the statistics of their tokens: those that the original library made of them, in HDF5. Also
# in shards, and in several threads. Usage: statistics.sh TARE WRITE_TOKENS SOURCE
set -eu
tare=$1 write_tokens=$2 source=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fixtures=$source/tests/fixtures/tokenizers
model=$source/tests/fixtures/small/intents-mini/intents-mini.onnx
profiles="--profile sequence=1:32:64 --profile sequence=65:100:1024"
methods="--smoothing on --weight-clipping on --bias-correction on"
calibrate() { # OUTPUT DATA OPTION...
  out=$folder/$1
  shift
  # shellcheck disable=SC2086 # lists of options
  "$tare" calibrate -q "$model" "$@" $profiles -o "$out" >"$folder/printed"
}
cd "$folder"
"$write_tokens" tokens.h5 <"$fixtures/bytes.ids"
calibrate hdf5.stats tokens.h5 $methods
texts="$fixtures/lines.jsonl --tokenizer $fixtures/bytes.json"
for threads in 1 2; do
  # shellcheck disable=SC2086
  calibrate texts.stats $texts $methods --threads $threads
  cmp texts.stats hdf5.stats
done

# A file for each half: what is counted does not depend on where it lies.
head -n 100 "$fixtures/lines.jsonl" >a.jsonl
tail -n +101 "$fixtures/lines.jsonl" | gzip >b.jsonl.gz
# shellcheck disable=SC2086
calibrate texts.stats a.jsonl b.jsonl.gz --tokenizer "$fixtures/bytes.json" $methods
cmp texts.stats hdf5.stats

# Shards, whose sums need the model, or not if weights are rounded to nearest.
# shellcheck disable=SC2086
calibrate nearest.stats $texts --weight-rounding nearest
for i in 0 1 2; do
  # shellcheck disable=SC2086
  calibrate $i.stats $texts $methods --shard $i/3
  # shellcheck disable=SC2086
  calibrate near$i.stats $texts --weight-rounding nearest --shard $i/3
done
"$tare" merge -q 0.stats 1.stats 2.stats --model "$model" -o merged.stats >printed
cmp merged.stats hdf5.stats
"$tare" merge -q near2.stats near0.stats near1.stats -o merged.stats >printed
cmp merged.stats nearest.stats
