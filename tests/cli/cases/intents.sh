# Tokens from HDF5: statistics to a table in one step, accuracy on labels.
model=$EXAMPLES/intents-mini/intents-mini.onnx
calib=$EXAMPLES/intents-mini/calib.h5
eval=$EXAMPLES/intents-mini/eval.h5
"$TARE" calibrate "$model" "$calib" --limit 12 --profile sequence=2:64:1024 --method minmax \
  -o intents.json --json | "$JSON_CHECK" \
  samples == 12 table.method == minmax table.tensors '>' 20 || exit
"$TARE" build "$model" --calib intents.json --profile sequence=2:64:1024 -o intents.plan --json |
  "$JSON_CHECK" precisions.int8-rows '>' 5 || exit
"$TARE" run intents.plan "$eval" --limit 10 --against "$model" --labels labels --metric accuracy \
  --json | "$JSON_CHECK" samples == 10 metric.name == accuracy metric.value '>' 0.7 \
  metric.reference '>' 0.8 top1_agreement '>' 0.8 || exit
"$TARE" inspect "$eval" --model "$model" --json | "$JSON_CHECK" \
  kind == data samples == 60 bad == 0 profile is text || exit
"$TARE" inspect "$eval"
echo "exit $?"
