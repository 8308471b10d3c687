# Calibrate, choose, write and evaluate in one command.
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
"$TARE" quantize "$intents/intents-mini.onnx" "$intents/calib.h5" --limit 4 -o one.onnx \
  --method mse -q || exit
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
ls never.* 2>&1 || true
