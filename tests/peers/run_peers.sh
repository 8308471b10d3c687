#!/bin/sh
# run_peers.sh TARE PEER_EVAL PEER_FUSED SOURCE SHARED CASE: a model exported for ONNX Runtime and run in it.
# TARE_ONNXRUNTIME is the path of libonnxruntime.so.1; exit 77 (skipped) without it, or without the model.
set -eu
TARE=$1 PEER_EVAL=$2 PEER_FUSED=$3 SOURCE=$4 SHARED=$5 CASE=$6
library=${TARE_ONNXRUNTIME:-}
[ -n "$library" ] || { echo "skipped: TARE_ONNXRUNTIME is not set"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# predict: what tare check says of x.onnx is what the library fused.
predict() {
  said=$("$TARE" check "$folder/x.onnx" | sed -n 's/^layers *\([0-9]*\) of .*/\1/p')
  fused=$("$PEER_FUSED" "$library" "$folder/x.onnx" "$folder/fused.onnx" | awk '
    /^(QLinearConv|ConvInteger|QLinearMatMul|MatMulInteger|MatMulIntegerToFloat|DynamicQuantizeMatMul|QGemm) / {n += $2}
    END {print n + 0}')
  [ "$said" = "$fused" ] || { echo "MISSED: tare check says $said layers in int8, $fused are"; exit 1; }
}

# ONNX Runtime adds pairs of products of u8 by s8 in 16 bits, which saturate, on x86 processors without VNNI.
saturates() {
  grep -q '^flags.* avx2 ' /proc/cpuinfo && ! grep -q '^flags.* avx\(512\)\{0,1\}_vnni' /proc/cpuinfo
}
weights=int8
saturates && weights=uint8

# The plan of the exported model, with every value rounded where it has a pair, computes nearly the same.
agree() {
  "$TARE" build -q "$folder/x.onnx" --profile "$profile" --layer-output-types '*:fp32' -o "$folder/y.plan" >"$folder/log"
  # shellcheck disable=SC2086 # rate is a list
  "$PEER_EVAL" $rate --agreement 0.995 "$library" "$folder/x.onnx" "$folder/y.plan" "$eval"
}

# export_and_run MODEL CALIB EVAL PROFILE METHOD ROWS "OPERATORS" [OPTION...]: options are those of peer_eval
export_and_run() {
  model=$1 calib=$2 eval=$3 profile=$4 method=$5 rows=$6 operators=$7
  shift 7
  [ -f "$model" ] || { echo "skipped: no $model"; exit 77; }
  "$TARE" calibrate -q "$model" "$calib" $rate --profile "$profile" --all-tensors --method "$method" \
    -o "$folder/x.json" >"$folder/log"
  # Also models that were written for others.
  for form in openvino generic "onnxruntime --weights uint8" onnxruntime "onnxruntime --weights $weights"; do
    # shellcheck disable=SC2086 # a target and its options
    "$TARE" export -q "$model" --calib "$folder/x.json" --row-scales "$rows" --target $form -o "$folder/x.onnx" \
      >"$folder/log"
    predict
  done
  "$TARE" build -q "$model" --fp32 --profile "$profile" -o "$folder/x.plan" >"$folder/log"
  # shellcheck disable=SC2086 # operators and rate are lists
  "$PEER_FUSED" "$library" "$folder/x.onnx" "$folder/fused.onnx" $operators
  # shellcheck disable=SC2086
  "$PEER_EVAL" $rate "$@" "$library" "$folder/x.onnx" "$folder/x.plan" "$eval"
  agree
}

audio="--metric ctc-error --alphabet 0123456789 --labels digits"
text="--metric accuracy --labels labels"
rate=
case $CASE in
digits)
  rate="--rate 8000" m=$SOURCE/examples/digits-conv
  export_and_run "$m/digits-conv.onnx" "$m/calib" "$m/eval" samples=1600:32000:120000 minmax float \
    "QLinearConv=21 QLinearAdd=4" --sqnr 20 --agreement 0.98
  ;;
intents)
  m=$SOURCE/examples/intents-mini
  export_and_run "$m/intents-mini.onnx" "$m/calib.h5" "$m/eval.h5" sequence=2:64:512 minmax float \
    "MatMul=0 Gemm=0" --sqnr 18 --agreement 0.92
  ;;
noise) # what a model draws, as inputs of one that draws nothing
  m=$SOURCE/tests/fixtures/random
  "$TARE" run -q "$m/speech.onnx" "$m"/x?.npz --save-outputs "$folder/drawn.h5" >"$folder/log" 2>&1
  "$TARE" build -q "$m/fed.onnx" --fp32 --profile n=20:40:64,frames=20:80:192 -o "$folder/x.plan" >"$folder/log"
  "$TARE" run -q "$m/fed.onnx" "$folder/drawn.h5" --labels wave --metric mae --json 2>"$folder/log" >"$folder/same.json"
  grep -q '"value":[[:space:]]*0,' "$folder/same.json" || { echo "MISSED: what is drawn and what is fed differ"; exit 1; }
  "$PEER_EVAL" --sqnr 100 "$library" "$m/fed.onnx" "$folder/x.plan" "$folder/drawn.h5"
  ;;
sums) # MatMul and Add that ONNX Runtime makes a Gemm, with float outputs
  printf 'TRT-100300-EntropyCalibration2\nx: 3d010a14\nt: 3c010a14\nu: 3c010a14\n' >"$folder/x.cache"
  "$TARE" export -q "$SOURCE/tests/fixtures/qdq/sums.onnx" --calib "$folder/x.cache" -o "$folder/x.onnx" >"$folder/log"
  "$PEER_FUSED" "$library" "$folder/x.onnx" "$folder/fused.onnx" QGemm=3 MatMul=0 Gemm=0 FusedGemm=0
  predict
  ;;
digits-conv)
  rate="--rate 8000" d=$SHARED/data/digits-espeak
  export_and_run "$SHARED/models/digits-conv.onnx" "$d/calib" "$d/eval" samples=1600:32000:120000 \
    mse float "QLinearConv=21 QLinearAdd=4" $audio --error-within 0.002 --agreement 0.995
  ;;
digits-former-float | digits-former-int16)
  rate="--rate 8000" d=$SHARED/data/digits-fsdd
  export_and_run "$SHARED/models/digits-former.onnx" "$d/calib" "$d/eval" samples=1600:24000:160000 \
    minmax "${CASE#digits-former-}" "QLinearConv=1 MatMul=0" $audio --error-within 0.0006 \
    --agreement 0.999
  ;;
intents-bert | intents-mini)
  d=$SHARED/data/intents
  export_and_run "$SHARED/models/$CASE.onnx" "$d/calib-vlen.h5" "$d/eval-vlen.h5" sequence=2:64:512 \
    mse float "MatMul=0 Gemm=0" $text --error-within 0.002
  ;;
intents-bert-padded)
  d=$SHARED/data/intents
  export_and_run "$SHARED/models/intents-bert.onnx" "$d/calib-padded.h5" "$d/eval-vlen.h5" \
    sequence=2:128:512 mse float "MatMul=0" $text --error-within 0.0031
  ;;
esac
