# A model that is quantized already: shown so, built without a table, not calibrated.
model=$SOURCE/tests/fixtures/onnx/good_quantized.onnx
"$TARE" inspect "$model" | grep scales
"$TARE" build "$model" --profile batch=1,samples=100:1000:2000 -o int8.plan | grep layers
"$TARE" build "$model" --profile batch=1,samples=100:1000:2000 --fp32 -o fp32.plan | grep layers
"$TARE" calibrate "$model" "$EXAMPLES/digits-conv/calib" -o x.stats
echo $?
