# The smallest part of a model that fails as the whole does, with its data and table.
EXAMPLES=$SMALL
model=$EXAMPLES/intents-mini/intents-mini.onnx
data=$EXAMPLES/intents-mini/eval.h5
profile=sequence=2:64:1024
TMPDIR=scratch
export TMPDIR
mkdir $TMPDIR
"$TARE" calibrate "$model" "$EXAMPLES/intents-mini/calib.h5" --profile $profile -o x.json -q \
  >/dev/null || exit
# without predicted losses, as an older table: all scales are static
sed -i 's/, "\(static_loss\|row_loss\)": \[[^]]*\]//g' x.json
sed '/"\/layers.1\/Mul_1_output_0"/s/"amax": \[[^]]*\]/"amax": [0.05]/' x.json >narrow.json
# Runs the commands that were printed; the last one is the failure.
again() {
  sed -n 's/^  tare /tare /p' "$1" | sed "s|^tare |'$TARE' |" >commands
  sh ./commands >out 2>err
  echo "again: exit $?"
}

# Too narrow a range: the layer that reads it. Requests that name other layers are left out.
"$TARE" debug reduce "$model" "$data" --calib narrow.json --limit 2 -q -o part.onnx \
  --layer-precisions '/layers.1/f2/MatMul:int8,/layers.0/q/MatMul:fp32,@Gemm:int8,*:int8' >text
sed '/^trials/d; s/[0-9.]* dB/N dB/' text
again text
grep '^first bad\|^bad\|^result' out | sed 's/:.*//'
"$TARE" inspect part.calib.json --json | "$JSON_CHECK" entries length 1 || exit
"$TARE" check part.onnx >/dev/null 2>&1 || echo "check: $?"

# A part that is reduced again stays as it is.
"$TARE" debug reduce part.onnx part.h5 --calib part.calib.json -q -o again.onnx --json |
  "$JSON_CHECK" command == 'debug reduce' failure.kind == sqnr reduced.tensor == \
    /layers.1/f2/MatMul_output_0 nodes length 1 model_nodes == 1 recorded length 0 minimal is true \
    data == again.h5 commands length 2 failure.exit_code == 1 || exit
cmp part.onnx again.onnx

# A tensor inside the model, with a limit of its own.
"$TARE" debug reduce "$model" "$data" --calib x.json --limit 2 -q -o inner.onnx \
  --min-sqnr /layers.0/Mul_1_output_0:70 --json |
  "$JSON_CHECK" failure.tensor == /layers.0/Mul_1_output_0 failure.sqnr_db '<' 70 \
    reduced.sqnr_db '<' 70 nodes.0 != '' || exit

# Models that are refused: by the loader, and by a build.
"$TARE" debug reduce "$SOURCE/tests/fixtures/onnx/check_axis_range.onnx" -q -o refused.onnx >text
echo "exit $?"
sed '/^trials/d' text
again text
cat err
"$TARE" debug reduce "$model" "$data" --limit 2 -q -o refused.onnx --precision-constraints obey \
  --layer-precisions '/layers.2/MatMul:int16-rows' --layer-weight-types '/layers.2/f2/MatMul:bf16' >text
echo "exit $?"
sed '/^trials/d' text
again text
cat err
"$TARE" debug reduce "$SOURCE/tests/fixtures/onnx/bad_unknown_operators.onnx" -q -o refused.onnx --json |
  "$JSON_CHECK" failure.kind == load nodes length 1 data is null table is null commands length 1 ||
  exit

# What cannot be reduced.
"$TARE" debug reduce "$model" "$data" --calib x.json --limit 2 -q -o none.onnx
echo "exit $?"
"$TARE" debug reduce "$model" -q -o none.onnx
echo "exit $?"
"$TARE" debug reduce "$model" "$data" --min-sqnr /layers.0/Mul_1_output:30 -q -o none.onnx
echo "exit $?"
"$TARE" debug reduce "$model" "$data" -q -o none.plan
echo "exit $?"
"$TARE" build "$model" --fp32 --profile sequence=1:16:64 -q -o whole.plan >log || exit
"$TARE" debug reduce whole.plan "$data" -q -o none.onnx
echo "exit $?"
"$TARE" debug reduce missing.onnx "$data" -q -o none.onnx
echo "exit $?"
echo none* "$TMPDIR"/*
