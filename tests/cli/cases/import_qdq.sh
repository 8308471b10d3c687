# The way back: an export comes back to the byte, other tools' models with what cannot be undone.
model=$EXAMPLES/digits-conv/digits-conv.onnx
"$TARE" calibrate "$model" "$EXAMPLES/digits-conv/calib" --rate 8000 --all-tensors -q \
  -o model.json >text || exit
for target in onnxruntime tensorrt; do
  echo "== $target"
  "$TARE" export "$model" --calib model.json --target $target -o a.onnx -q >text || exit
  "$TARE" import-qdq a.onnx -o clean.onnx --table clean.json || exit
  "$TARE" export clean.onnx --calib clean.json --target $target -o b.onnx -q >text || exit
  cmp a.onnx b.onnx
  "$TARE" build clean.onnx --calib clean.json --profile samples=1600:16000:40000 -o clean.plan -q \
    >text || exit
done
echo "== beside, as a cache"
"$TARE" import-qdq a.onnx -o beside.onnx --table clean.cache --external-data || exit
"$TARE" inspect beside.onnx | grep parameters
echo "== float by name"
mini=$EXAMPLES/intents-mini/intents-mini.onnx
"$TARE" calibrate "$mini" "$EXAMPLES/intents-mini/calib.h5" --limit 2 --all-tensors -q -o mini.json \
  >text || exit
layer=$("$TARE" export "$mini" --calib mini.json --json -o a.onnx -q | sed -n 's/.*"name":[[:space:]]*"\(.*\)".*/\1/p' | head -n 1)
"$TARE" export "$mini" --calib mini.json --layer-precisions "$layer:fp32" -o a.onnx -q >text || exit
"$TARE" import-qdq a.onnx -o clean.onnx --table clean.json | grep layer-precisions
echo "== foreign"
"$TARE" import-qdq "$SOURCE/tests/fixtures/qdq/foreign.onnx" -o foreign.onnx --table foreign.json || exit
"$TARE" import-qdq "$SOURCE/tests/fixtures/qdq/foreign.onnx" -o foreign.onnx --table foreign.json --json -q |
  "$JSON_CHECK" command == import-qdq activations == 3 constants == 2 relus == 1 changed_scales == 1 \
    kept length 2 kept.0.op == MatMulInteger tensors == 3 layer_precisions == '' external_data is false
echo "== explicit"
"$TARE" build b.onnx --profile samples=1600:16000:40000 --layer-precisions '/front/front.6/Conv:fp32' -o never.plan
echo "exit $?"
echo "== refused"
refused() {
  "$TARE" import-qdq "$@"
  echo "exit $?"
}
refused a.onnx
refused a.onnx -o never.onnx
refused a.onnx -o never.onnx --table never.txt
refused a.onnx -o never.plan --table never.json
refused a.onnx -o a.onnx --table never.json
refused "$model" -o never.onnx --table never.json
refused missing.onnx -o never.onnx --table never.json
ls never.* 2>&1 || true
