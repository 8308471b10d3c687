# What targets make of quantized models: exports are clean for their own target; faults are named, and exit 1.
EXAMPLES=$SMALL
for name in digits-conv intents-mini; do
  model=$EXAMPLES/$name/$name.onnx
  [ $name = digits-conv ] && data="$EXAMPLES/$name/calib --rate 8000" || data=$EXAMPLES/$name/calib.h5
  # shellcheck disable=SC2086 # data is a list
  "$TARE" calibrate "$model" $data --limit 4 --all-tensors -q -o model.json >text || exit
  for target in onnxruntime tensorrt openvino generic; do
    for form in "float --weights int8" "float --weights float" int16 dynamic; do
      # shellcheck disable=SC2086 # form may have options behind it
      "$TARE" export "$model" --calib model.json --target $target --row-scales $form -q -o x.onnx >text 2>&1 ||
        continue # no such form there
      echo "== $name $target $form"
      "$TARE" check x.onnx --target $target | grep -E '^(layers|found)' || exit
    done
  done
done
fixtures=$SOURCE/tests/fixtures/onnx
echo "== faults"
fault() {
  "$TARE" check "$@"
  echo "exit $?"
}
fault "$fixtures/check_nan_scale.onnx"
fault "$fixtures/check_good.onnx" --target tensorrt
fault "$fixtures/check_mask.onnx"
fault "$fixtures/good_small.onnx"
"$TARE" check "$fixtures/check_conv_relu.onnx" --json | "$JSON_CHECK" command == check target == onnxruntime \
  quantizers == 5 int8_layers == 0 errors == 0 warnings == 1 notes == 2 findings length 3 \
  findings.2.rule == layer findings.2.severity == warning findings.2.node == layer layers length 1 \
  layers.0.int8 is false
echo "== refused"
fault
fault "$fixtures/check_good.onnx" other.onnx
fault "$fixtures/check_good.onnx" --target tensorflow
fault "$fixtures/check_broken_scale.onnx"
fault "$fixtures/bad_garbage.onnx"
fault "$fixtures/check_good.onnx" --max-nodes 3
