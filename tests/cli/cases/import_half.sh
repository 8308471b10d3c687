# Models in float16 and bfloat16: their exports come back to the byte.
qdq=$SOURCE/tests/fixtures/qdq
come_back() { # TARGET WEIGHTS ROWS
  "$TARE" export half.onnx --calib half.json --target "$1" --weights "$2" --row-scales "$3" -o a.onnx \
    -q >text || return
  "$TARE" import-qdq a.onnx -o clean.onnx --table clean.json -q >text || return
  grep -ac QuantizeLinear clean.onnx
  "$TARE" export clean.onnx --calib clean.json --target "$1" --weights "$2" --row-scales "$3" -o b.onnx \
    -q >text && cmp a.onnx b.onnx
}
for type in float16 bfloat16; do
  cp "$qdq/half_$type.onnx" half.onnx
  "$TARE" calibrate half.onnx "$qdq/integers_static.npy" --all-tensors -q -o half.json >text || exit
  for target in onnxruntime tensorrt openvino generic; do
    for weights in int8 float; do
      echo "$type $target $weights"
      come_back $target $weights float
    done
  done
  echo "$type generic int16"
  come_back generic int8 int16
done
