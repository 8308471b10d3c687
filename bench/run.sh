#!/bin/sh
# All figures of docs/performance.md and docs/performance-layers.md, one program at a time; nothing else should run meanwhile.
#
# usage: bench/run.sh BUILD MODELS OUT [PART...]
#   BUILD   a build folder made with -DTARE_BENCH=ON
#   MODELS  where bench/models/generate.py wrote its models
#   OUT     a folder that receives one text file for each part
#   PART    kernels products networks operators spectra moves singles recurrent profile examples shared
#           (default: all)
# ORT, the path of libonnxruntime.so.1: without it there are no peers.
# SHARED, a folder with the models that are not part of this repository, each as NAME_f32.onnx, with
# NAME.json from tare's calibration and its peers as bench/models/from_table.py writes them.
# ROUNDS, turns that everybody gets (default 5).
set -eu
if [ $# -lt 3 ]; then
  sed -n '4,14s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
build=$1 models=$2 out=$3
shift 3
source=$(dirname "$0")/..
rounds=${ROUNDS:-5}
mkdir -p "$out"

peers() { # NAME FOLDER: the options for all forms of a network
  [ -n "${ORT:-}" ] || return 0
  printf -- '--ort %s ' "$ORT"
  for file in "$2/$1"_*.onnx; do
    form=${file##*_}
    printf -- '--peer %s=%s ' "${form%.onnx}" "$file"
  done
}

network() { # NAME FOLDER LENGTHS [OPTION...]
  name=$1 folder=$2 lengths=$3
  shift 3
  echo "## $name"
  # shellcheck disable=SC2046 # paths without spaces, options to be split
  "$build/bench/bench_engine" "$folder/${name}_f32.onnx" --lengths "$lengths" --rounds "$rounds" \
    --save "$out/$name.plan" "$@" $(peers "$name" "$folder")
  echo
}

kernels() { "$build/bench/bench_kernels"; }

products() {
  for threads in 1 2; do
    # shellcheck disable=SC2086 # two options or none
    "$build/bench/bench_products" --threads $threads --rounds "$rounds" \
      ${ORT:+--ort $ORT --models $models}
    echo
  done
  "$build/bench/bench_products" --row-scales
}

networks() {
  network bert-mini "$models" S=16,64,128,512 --float
  network bert-base "$models" S=16,64,128,512 --float
  network quartznet "$models" T=100,400,1500 --float
  network wav2vec2 "$models" T=16000,64000 --float
}

operators() {
  network conv-audio "$models" T=64000
  network conv-k10 "$models" T=3200
  network conv-k3 "$models" T=799,12799
  network conv-positions "$models" T=199
  network depthwise-256-k33 "$models" T=200,750
  network depthwise-512-k75 "$models" T=750
  network depthwise-512-k87-d2 "$models" T=200
  network pointwise-256 "$models" T=200
  network pointwise-512 "$models" T=200,750
}

spectra() {
  for name in first-3x3 first-3x3-s2 24-1x3 24-3x1 24-3x3 24-3x3-s2 48-1x3 48-3x1 48-3x3 48-3x3-s2 \
    96-1x3 96-3x1 96-3x3 96-3x3-s2; do
    network conv2d-$name "$models" T=100 --float
  done
}

moves() { "$build/bench/bench_moves" --rounds "$rounds" "$models"/move-*.onnx; }

singles() { # on one thread
  for file in "$models"/single-*.onnx; do
    echo "## $(basename "$file" .onnx)"
    # shellcheck disable=SC2086 # options or none
    "$build/bench/bench_engine" "$file" --rounds "$rounds" --float-only --threads 1 \
      ${ORT:+--ort $ORT --peer f32=$file}
  done
}

recurrent() {
  for name in lstm bilstm gru bigru; do
    for units in 128 256 512 768; do
      network $name-$units "$models" T=100,400 --float
    done
  done
}

profile_of() { # NAME SYMBOL LENGTH...
  name=$1 symbol=$2
  shift 2
  for length; do
    echo "## $name, $symbol=$length, one thread"
    "$build/tools/tare" bench "$out/$name.plan" --symbols "$symbol=$length" --threads 1 \
      --duration 1 --dumpProfile | sed -n '/^=== By/,$p'
  done
}

profile() { # of the plans that networks left
  profile_of bert-mini S 16 128 512
  profile_of bert-base S 16 128 512
  profile_of quartznet T 100 400 1500
  profile_of wav2vec2 T 16000 64000
}

examples() {
  for example in digits-conv:samples=4000,16000 intents-mini:sequence=16,128; do
    name=${example%%:*}
    echo "## $name"
    "$build/bench/bench_engine" "$source/examples/$name/$name.onnx" --lengths "${example#*:}" \
      --rounds "$rounds" --float
    echo
  done
}

shared() {
  [ -n "${SHARED:-}" ] || return 0
  network digits-conv "$SHARED" samples=8000,16000,32000 --table "$SHARED/digits-conv.json"
  network digits-former "$SHARED" samples=8000,16000,32000 --table "$SHARED/digits-former.json"
  network intents-mini "$SHARED" sequence=16,64,256 --table "$SHARED/intents-mini.json"
  network intents-bert "$SHARED" sequence=16,64,256 --table "$SHARED/intents-bert.json"
}

# The closing tables of all networks of a part as one, each row with its network.
summarize() { # NUMBER of the table
  awk -v wanted="$1" '
    /^## / { name = $2; table = 0 }
    /^\| length/ {
      table++
      if (table == wanted && !headed++) { print "| network " $0; getline; print "|---" $0 }
      else { getline }
      next
    }
    table == wanted && /^\| / { print "| " name " " $0 }'
}

[ $# -gt 0 ] || set -- kernels products networks operators spectra moves singles recurrent profile \
  examples shared
for part; do
  echo "== $part" >&2
  "$part" >"$out/$part.txt"
  for table in 1 2; do
    summarize $table <"$out/$part.txt" >"$out/$part.$table.md"
  done
done
find "$out" -name '*.md' -empty -delete
