# A quantized model for each target: what stays float and why, the same bytes again, files that load.
EXAMPLES=$SMALL
model=$EXAMPLES/digits-conv/digits-conv.onnx
"$TARE" calibrate "$model" "$EXAMPLES/digits-conv/calib" --rate 8000 --all-tensors -q \
  -o model.json >text || exit
for target in onnxruntime tensorrt openvino generic; do
  echo "== $target"
  "$TARE" export "$model" --calib model.json --target $target -o $target.onnx || exit
  "$TARE" export "$model" --calib model.json --target $target -o again.onnx -q >text || exit
  cmp $target.onnx again.onnx
  "$TARE" inspect $target.onnx | grep -E '^(version|inputs|outputs)|Conv |Linear ' || exit
  "$TARE" build $target.onnx --profile samples=1600:16000:40000 -o $target.plan -q >text || exit
done
echo "== rows"
"$TARE" export "$model" --calib model.json --row-scales int16 -o rows.onnx || exit
"$TARE" export "$model" --calib model.json --row-scales dynamic --weights float -o rows.onnx || exit
echo "== saturation: who runs u8 by s8 without VNNI, and what to do"
for target in onnxruntime openvino generic tensorrt; do
  "$TARE" export "$model" --calib model.json --target $target -q -o x.onnx | grep -c saturates
  "$TARE" export "$model" --calib model.json --target $target --weights int7 -q -o x.onnx | grep -c saturates
done
"$TARE" export "$model" --calib model.json --target openvino --weights int7 --json -q -o x.onnx |
  "$JSON_CHECK" weights == int7 layers.2.rounding == nearest
"$TARE" run x.onnx "$EXAMPLES/digits-conv/eval" --rate 8000 --limit 3 --against "$model" --json -q | "$JSON_CHECK" sqnr_db '>' 20
echo "== beside"
"$TARE" export "$model" --calib model.json --external-data -o beside.onnx | grep written
"$TARE" inspect beside.onnx | grep parameters
"$TARE" export "$model" --calib model.json --json -o x.onnx | "$JSON_CHECK" command == export \
  target == onnxruntime row_scales == float opset == 17 model_opset == 17 layers length 23 \
  layers.0.form == fp32 layers.2.form == int8 external_data is false
echo "== sums"
printf 'TRT-100300-EntropyCalibration2\nx: 3d010a14\nt: 3c010a14\nu: 3c010a14\n' >sums.cache
for target in onnxruntime openvino; do
  "$TARE" export "$SOURCE/tests/fixtures/qdq/sums.onnx" --calib sums.cache --target $target -o sums.onnx | grep layers
  "$TARE" inspect sums.onnx | sed -n '/^operators/,$p'
  "$TARE" import-qdq sums.onnx -o plain.onnx --table plain.json -q >text || exit
  "$TARE" export plain.onnx --calib plain.json --target $target -o again.onnx -q >text || exit
  cmp sums.onnx again.onnx
  "$TARE" build sums.onnx -o sums.plan -q >text || exit
done
echo "== types"
printf 'TRT-100300-EntropyCalibration2\nmasked: 3d010a14\nt: 3c010a14\n' >where.cache
for target in onnxruntime tensorrt; do
  "$TARE" export "$SOURCE/tests/fixtures/qdq/where.onnx" --calib where.cache --target $target -o where.onnx |
    grep layers
  "$TARE" check where.onnx --target $target | grep errors
  "$TARE" build where.onnx -o where.plan -q >text || exit
done
echo "== logarithm"
printf 'TRT-100300-EntropyCalibration2\nx: 3c000000\npower: 3f000000\nlog: 3e000000\n' >bank.cache
"$TARE" export "$SOURCE/tests/fixtures/qdq/filterbank.onnx" --calib bank.cache --row-scales int16 -o bank.onnx || exit
"$TARE" export "$SOURCE/tests/fixtures/qdq/filterbank.onnx" --calib bank.cache --weights float -o bank.onnx | grep opset
echo "== refused"
refused() {
  "$TARE" export "$@" -o never.onnx 2>said
  echo "exit $?"
  sed 's/[0-9a-f]\{16\}/HASH/g' said >&2
}
refused "$model"
refused "$model" --calib model.json --target tensorflow
refused "$model" --calib model.json --target tensorrt --row-scales dynamic
refused "$model" --calib model.json --target tensorrt --row-scales int16
refused "$model" --calib model.json --layer-precisions nothing:fp32
refused "$model" --calib model.json --profile-index 3
refused onnxruntime.onnx --calib model.json --force
refused "$EXAMPLES/intents-mini/intents-mini.onnx" --calib model.json
refused "$model" --calib missing.json
"$TARE" export "$model" --calib model.json -o never.plan
echo "exit $?"
ls never.* 2>&1 || true
