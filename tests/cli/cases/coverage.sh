# Which tensors of a model a table names.
folder=$EXAMPLES/digits-conv
"$TARE" calibrate "$folder/digits-conv.onnx" "$folder/calib" --rate 8000 --limit 2 -o all.stats \
  --all-tensors -q >text || exit
"$TARE" calibrate "$folder/digits-conv.onnx" "$folder/calib" --rate 8000 --limit 2 -o some.stats -q \
  >text || exit
"$TARE" table all.stats -q --coverage "$folder/digits-conv.onnx" | sed -n '/^coverage/,$p'
"$TARE" table some.stats -q --coverage "$folder/digits-conv.onnx" | sed -n '/^coverage/,$p'
"$TARE" table all.stats -q --coverage "$folder/digits-conv.onnx" >text
echo "exit $?"
# a convolution without a threshold, stale names, a name of TensorRT
"$TARE" table all.stats -o all.cache -q >text || exit
sed -i '/^.front.front.2.Relu_output_0: /d; s/^logits: /old_logits: /' all.cache
echo '(Unnamed Layer* 22) [Constant]_output: 3a4b050c' >>all.cache
"$TARE" table all.cache -q --coverage "$folder/digits-conv.onnx" | sed -n '/^coverage/,$p'
"$TARE" table all.cache -q --coverage "$folder/digits-conv.onnx" -o x.ort.json --json >text
echo "exit $?"
for check in 'output == x.ort.json' 'coverage.stale length 1' 'coverage.stale.0 == old_logits' \
  'coverage.other length 1' 'coverage.missing length 1'; do
  "$JSON_CHECK" $check <text
done
"$TARE" table all.cache --coverage "$folder/digits-conv.onnx" --json >text
"$JSON_CHECK" output is missing <text
# another model
"$TARE" table all.stats -o all.json -q >text
"$TARE" table all.json --coverage "$EXAMPLES/intents-mini/intents-mini.onnx" --json >text
echo "exit $?"
"$JSON_CHECK" coverage.stale.0 is text <text
"$JSON_CHECK" coverage.missing.0 is text <text
"$TARE" table all.json --coverage all.cache
echo "exit $?"
"$TARE" table all.json --coverage missing.onnx
echo "exit $?"
"$TARE" table all.json --coverage "$folder/digits-conv.onnx" --format trt
echo "exit $?"
"$TARE" table all.json --coverage "$folder/digits-conv.onnx" --template all.cache
echo "exit $?"
