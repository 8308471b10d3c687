# Calibrate, choose, write and evaluate in one command.
EXAMPLES=$SMALL raised=$SOURCE/tests/fixtures/raised
digits=$EXAMPLES/digits-conv intents=$EXAMPLES/intents-mini
"$TARE" quantize "$digits/digits-conv.onnx" "$digits/calib" --rate 8000 --limit 3 -o digits.onnx \
  --table digits.json --eval "$digits/eval" --labels digits --metric ctc-error --alphabet 0123456789 \
  -q >text || exit
sed -n 's/^\(method\|target\|layers\|written\|table\|samples\) .*/\1/p' text
"$TARE" export "$digits/digits-conv.onnx" --calib digits.json -o again.onnx -q >text || exit
cmp digits.onnx again.onnx && echo "export makes the same of the table"
"$TARE" quantize "$intents/intents-mini.onnx" "$intents/calib.h5" --limit 4 -o intents.onnx \
  --target tensorrt --eval "$intents/eval.h5" --json -q | "$JSON_CHECK" command == quantize \
  methods length 4 target == tensorrt layers length 25 evaluation.sqnr_db '>' 10 output == intents.onnx
"$TARE" quantize "$raised/deep.onnx" "$raised/calib" --limit 4 -o one.onnx \
  --method mse -q || exit
echo "== per profile"
"$TARE" quantize "$intents/intents-mini.onnx" "$intents/calib.h5" --limit 8 -o each.onnx --method minmax \
  --profile sequence=2:8:20 --profile sequence=21:32:512 --per-profile --table each.json \
  --eval "$intents/eval.h5" -q >text || exit
sed -n 's/^\(profile\|layers\|written\|table\|sequence=[0-9:]*\) .*/\1/p' text
for i in 0 1; do
  "$TARE" export "$intents/intents-mini.onnx" --calib each.json --profile-index $i -o again.onnx -q >text || exit
  cmp each.$i.onnx again.onnx && echo "export makes the same of profile $i"
done
cmp -s each.0.onnx each.1.onnx || echo "they differ"
"$TARE" quantize "$intents/intents-mini.onnx" "$intents/calib.h5" --limit 6 --raise-layers off -o each.onnx --method minmax \
  --profile sequence=2:8:20 --profile sequence=21:32:512 --per-profile --eval "$intents/eval.h5" \
  --json -q | "$JSON_CHECK" models length 2 models.1.output == each.1.onnx \
  models.0.evaluation.sqnr_db '>' 10 output is missing
refused() {
  "$TARE" quantize "$@"
  echo "exit $?"
}
refused "$intents/intents-mini.onnx" "$intents/calib.h5"
refused "$intents/intents-mini.onnx" -o never.onnx
refused "$intents/intents-mini.onnx" "$intents/calib.h5" -o never.onnx --metric accuracy --labels labels
refused "$intents/intents-mini.onnx" "$intents/calib.h5" -o never.onnx --table never.bin
refused "$intents/intents-mini.onnx" "$intents/calib.h5" -o "$intents/intents-mini.onnx"
refused intents.onnx "$intents/calib.h5" -o never.onnx
cp "$intents/calib.h5" data.0.onnx
refused "$intents/intents-mini.onnx" data.0.onnx --per-profile -o data.onnx
ls never.* 2>&1 || true
