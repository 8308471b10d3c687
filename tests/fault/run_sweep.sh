#!/bin/sh
# run_sweep.sh TARE SWEEP SHIM SOURCE CASE RUNS [OPTION...]: sweeps over the points where CASE can
# fail, RUNS of each kind (0: all). Options go to the sweep; --kinds alloc --first 77 repeats one point.
# `ends` in place of RUNS has the command write into a full disk, a closed stream and a pipe that nobody
# reads, and sends it signals at random times (SEED chooses them; TURNS of each signal).
# TARE_TEST_SEED chooses points and times where no other option does; TARE_LONG tries ten times as many.
set -eu
TARE=$1 SWEEP=$2 SHIM=$3 SOURCE=$4 CASE=$5 RUNS=$6
shift 6
[ -z "${TARE_TEST_SEED:-}" ] || set -- --seed "$TARE_TEST_SEED" "$@"
[ -z "${TARE_LONG:-}" ] || [ "$RUNS" = ends ] || RUNS=$((RUNS * 10))
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # syncing costs nothing there
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/out"
mini=$SOURCE/tests/fixtures/small/intents-mini
digits=$SOURCE/tests/fixtures/small/digits-conv
model=$mini/intents-mini.onnx
text_profile=sequence=1:16:512
audio_profile=samples=1600:16000:160000
unset ARGP_HELP_FMT || true

# What the cases below read, made without faults.
prepare() {
  "$TARE" calibrate -q "$model" "$mini/calib.h5" --limit 2 --profile $text_profile \
    -o "$folder/text.stats" >"$folder/log"
  "$TARE" table -q "$folder/text.stats" -o "$folder/text.json" >"$folder/log"
  "$TARE" build -q "$model" --calib "$folder/text.json" -o "$folder/text.plan" >"$folder/log"
}

sweep() { # OUTPUT or none, then the command
  output=$1
  shift
  if [ "$RUNS" = ends ]; then
    ends "$output" "$@"
    return
  fi
  [ "$output" = none ] || set -- --output "$folder/out/$output" -- "$SHIM" "$TARE" "$@"
  [ "$output" != none ] || set -- -- "$SHIM" "$TARE" "$@"
  # shellcheck disable=SC2086 # options have no spaces
  "$SWEEP" --runs "$RUNS" $options "$@"
}

# shellcheck source=tests/fault/ends.sh
. "$(dirname "$0")/ends.sh"
options=$*
[ "$RUNS" = ends ] || many=$((RUNS * 15)) # of what is quick
out=$folder/out/o
text="$model $mini/calib.h5 --limit 2 --profile $text_profile"
case $CASE in
inspect)
  options="$options --text"
  sweep none inspect "$model"
  ;;
models) # small ones that others are not like
  options="$options --text --runs ${many:-0} --kinds alloc"
  for name in functions/unnamed onnx/good_external qdq/integers_stay; do
    sweep none inspect "$SOURCE/tests/fixtures/$name.onnx"
  done
  ;;
layouts) # what is a sample depends on what is read of the data
  options="$options --text --runs ${many:-0} --kinds alloc"
  fixtures=$SOURCE/tests/fixtures/raised
  mkdir -p "$folder/samples/0" "$folder/samples/1" "$folder/samples/other"
  cp "$fixtures/calib/00.npy" "$folder/samples/0/x.npy"
  cp "$fixtures/calib/01.npy" "$folder/samples/1/x.npy"
  cp "$fixtures/calib/02.npy" "$folder/samples/other/z.npy"
  sweep none inspect "$folder/samples" --model "$fixtures/deep.onnx" --threads 1
  fixtures=$SOURCE/tests/fixtures/archives
  for data in good_lhotse.jsonl.gz good_audio.tar; do
    sweep none inspect "$fixtures/$data" --threads 1
  done
  [ -z "${TARE_LONG:-}" ] || options="$options --runs 0" # libFLAC reads less where memory ends, at few points
  sweep none inspect "$digits/calib/0010.flac" --threads 1
  ;;
calibrate)
  sweep o.stats calibrate -q $text --threads 1 -o "$out.stats"
  ;;
threads)
  sweep o.stats calibrate -q $text --threads 2 -o "$out.stats"
  ;;
texts)
  fixtures=$SOURCE/tests/fixtures/tokenizers
  printf 'text,reply\n"My card, ""lost""",please cancel\nmy transfer,is lost\n' >"$folder/texts.csv"
  sweep o.stats calibrate -q "$model" "$folder/texts.csv" --tokenizer "$fixtures/words_pairs.json" \
    --text-pair reply --profile $text_profile --threads 1 -o "$out.stats"
  case $("$TARE" --version) in
  *sentencepiece*)
    sweep o.stats calibrate -q "$model" "$folder/texts.csv" --tokenizer "$fixtures/good_words.model" \
      --profile $text_profile --threads 1 -o "$out.stats"
    ;;
  esac
  ;;
tokens)
  fixtures=$SOURCE/tests/fixtures/tokenizers
  head -n 2 "$fixtures/lines.jsonl" >"$folder/lines.jsonl"
  options="$options --text"
  sweep none inspect "$folder/lines.jsonl" --model "$model" --tokenizer "$fixtures/bytes.json" --threads 1
  case $("$TARE" --version) in
  *sentencepiece*) sweep none inspect "$folder/lines.jsonl" --model "$model" --tokenizer "$fixtures/good_words.model" --threads 1 ;;
  esac
  ;;
choice)
  sweep o.stats calibrate -q $text --threads 1 --quota 2 --samples 1 --stratify length \
    --weight sample -o "$out.stats"
  ;;
evidence)
  prepare
  options="$options --text"
  sweep none inspect "$folder/text.stats" --model "$model" --find-samples "$mini/calib.h5" --limit 2
  ;;
moves)
  prepare
  "$TARE" calibrate -q $text --limit 1 -o "$folder/one.stats" >"$folder/log"
  options="$options --text"
  sweep none diff "$folder/one.stats" "$folder/one.stats"
  ;;
checkpoint)
  sweep o.stats calibrate -q $text --threads 1 -o "$out.stats" --checkpoint "$folder/part" \
    --checkpoint-every 0
  ;;
raise)
  fixtures=$SOURCE/tests/fixtures/raised
  sweep o.json calibrate -q "$fixtures/deep.onnx" "$fixtures/calib" --limit 2 \
    --profile n=1,t=4:12:20 --threads 1 -o "$out.json"
  ;;
merge)
  for i in 0 1; do
    "$TARE" calibrate -q $text --shard $i/2 -o "$folder/$i.stats" >"$folder/log"
  done
  sweep o.stats merge -q "$folder/0.stats" "$folder/1.stats" --model "$model" --threads 1 \
    -o "$out.stats"
  ;;
audio)
  sweep o.json calibrate -q "$digits/digits-conv.onnx" "$digits/calib" --limit 1 --threads 1 \
    --profile $audio_profile -o "$out.json"
  ;;
table)
  prepare
  sweep o.json table -q "$folder/text.stats" --method mse -o "$out.json"
  ;;
cache)
  prepare
  sweep o.cache table -q "$folder/text.json" -o "$out.cache" --unify "$model"
  ;;
layers)
  prepare
  sweep o.table table -q "$folder/text.json" -o "$out.table" --model "$model"
  ;;
tensors)
  prepare
  "$TARE" table -q "$folder/text.json" -o "$folder/text.table" --model "$model" >"$folder/log"
  sweep o.json table -q "$folder/text.table" -o "$out.json" --model "$model"
  ;;
build)
  prepare
  sweep o build -q "$model" --calib "$folder/text.json" -o "$out"
  ;;
quantize)
  sweep o quantize -q $text --threads 1 --method minmax -o "$out"
  ;;
export)
  prepare
  sweep o export -q "$model" --calib "$folder/text.json" -o "$out"
  ;;
check)
  prepare
  "$TARE" export -q "$model" --calib "$folder/text.json" -o "$folder/int8.onnx" >"$folder/log"
  sweep none check -q "$folder/int8.onnx"
  ;;
json) # what is printed while options are read is held back
  options="$options --text --runs ${many:-0} --kinds alloc"
  [ -z "${TARE_LONG:-}" ] || options="$options --runs 0"
  sweep none check --json "$SOURCE/tests/fixtures/onnx/check_good.onnx"
  ;;
import)
  prepare
  "$TARE" export -q "$model" --calib "$folder/text.json" -o "$folder/text.onnx" >"$folder/log"
  sweep o import-qdq -q "$folder/text.onnx" -o "$out" --table "$folder/new.json"
  ;;
run)
  prepare
  sweep o run -q "$folder/text.plan" "$mini/eval.h5" --limit 2 --threads 1 --save-outputs "$out"
  ;;
metric)
  prepare
  export TMPDIR="$folder" # what is killed leaves its files
  sweep none run -q "$folder/text.plan" "$mini/eval.h5" --limit 2 --threads 1 --metric score \
    --metric-command 'echo 1; echo 2'
  ;;
bench)
  prepare
  sweep none bench -q "$folder/text.plan" --iterations 2 --duration 0 --warmUp 0 --threads 1
  ;;
trace)
  prepare
  sweep none bench -q "$model" --symbols sequence=4 --iterations 2 --duration 0 --warmUp 0 --threads 1 \
    --advice --dumpProfile
  ;;
profiles)
  sweep none profiles -q "$mini/calib.h5" --limit 4 --model "$model" --threads 1 --count 2
  ;;
plans)
  prepare
  options="$options --text"
  sweep none diff "$folder/text.plan" "$folder/text.plan"
  ;;
layer)
  prepare
  options="$options --text"
  sweep none inspect "$folder/text.plan"
  ;;
debug)
  prepare
  sweep none debug compare -q "$folder/text.plan" "$mini/eval.h5" --against "$model" --limit 1 --threads 1
  ;;
sensitivity)
  prepare
  sweep none debug sensitivity -q "$model" "$mini/eval.h5" --limit 1 --threads 1 --profile $text_profile \
    --calib "$folder/text.json" --all-but-one
  ;;
tune)
  partial=1
  tuned="$model $mini/calib.h5 --limit 1 --profile $text_profile --method minmax --threads 1 --sqnr 10
    --timing-cache $folder/times"
  # shellcheck disable=SC2086 # as above
  "$TARE" tune -q $tuned -o "$folder/tuned.plan" >"$folder/log"
  # shellcheck disable=SC2086
  sweep o tune -q $tuned -o "$out"
  ;;
library)
  prepare
  TARE=$(dirname "$SWEEP")/fault_library
  # the plan that it writes first is no part of what it leaves
  sweep none "$model" "$folder/text.json" "$SOURCE/examples/intents-mini/eval.h5" "$folder/library.out" # whole, with labels
  ;;
doctor)
  sweep none doctor
  ;;
reduce)
  prepare
  sed '/"\/layers.1\/Mul_1_output_0"/s/"amax": \[[^]]*\]/"amax": [0.05]/' "$folder/text.json" \
    >"$folder/narrow.json"
  "$TARE" debug reduce -q "$model" "$mini/eval.h5" --calib "$folder/narrow.json" --limit 1 \
    --layer-precisions '*:int8' -o "$folder/part.onnx" >"$folder/log"
  export TMPDIR="$folder" # what is killed leaves its files
  options="$options --beside 2" output=o.onnx
  [ "$RUNS" != ends ] || output=none out=$folder/new # three files: a signal may come between them
  sweep $output debug reduce -q "$folder/part.onnx" "$folder/part.h5" --threads 1 \
    --calib "$folder/part.calib.json" --layer-precisions '*:int8' -o "$out.onnx"
  ;;
compare)
  prepare
  sweep none compare -q "$model" "$mini/calib.h5" --eval "$mini/eval.h5" --limit 1 --threads 1 \
    --profile $text_profile --methods minmax --fits native --labels labels --metric f1
  sweep none compare -q "$model" "$mini/calib.h5" --eval "$mini/eval.h5" --limit 1 --threads 1 \
    --profile $text_profile --methods minmax,percentile:99 --fits native --precisions default,int8 \
    --also "$folder/text.plan" --time-budget 1h --raise-layers off
  sweep none compare -q "$model" "$mini/calib.h5" --eval "$mini/eval.h5" --limit 1 --threads 1 \
    --profile $text_profile --methods minmax --fits native --metric spearman \
    --work "$folder/kept" --resume --raise-layers off
  ;;
*)
  echo "unknown case: $CASE" >&2
  exit 2
  ;;
esac
