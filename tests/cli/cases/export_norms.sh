# BatchNormalization behind a Conv goes into its weights: shared weights, an output that is read twice
# and stays, one in a body, float16.
qdq=$SOURCE/tests/fixtures/qdq
for model in norms norms_half; do
  echo "== $model"
  "$TARE" quantize "$qdq/$model.onnx" "$qdq/norms.npz" --method minmax -q -o q.onnx | grep -e folded -e layers || exit
  "$TARE" inspect q.onnx | grep -e 'BatchN' -e 'Conv'
  "$TARE" check q.onnx | grep found
  "$TARE" run q.onnx "$qdq/norms.npz" --against "$qdq/$model.onnx" --json -q | "$JSON_CHECK" sqnr_db '>' 30 || exit
  for target in tensorrt openvino generic; do
    "$TARE" quantize "$qdq/$model.onnx" "$qdq/norms.npz" --method minmax --target $target --json -q -o t.onnx |
      "$JSON_CHECK" folded_norms == 2 layers.0.form == int8 || exit
    "$TARE" run t.onnx "$qdq/norms.npz" --against "$qdq/$model.onnx" --json -q | "$JSON_CHECK" sqnr_db '>' 30 || exit
  done
done
echo "== a table of the model as it is: roundings are those of other weights"
"$TARE" calibrate "$qdq/norms.onnx" "$qdq/norms.npz" --all-tensors -q -o all.json >text || exit
"$TARE" export "$qdq/norms.onnx" --calib all.json -o q.onnx | grep -e folded -e rounding
echo "== and of the folded one"
"$TARE" calibrate "$qdq/norms.onnx" "$qdq/norms.npz" -q -o folded.json >text || exit
"$TARE" export "$qdq/norms.onnx" --calib folded.json -o q.onnx | grep -e folded -e rounding
"$TARE" import-qdq q.onnx -o plain.onnx --table plain.json -q >text || exit
"$TARE" inspect plain.onnx | grep -e 'BatchN' -e 'Conv'
