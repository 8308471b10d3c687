# A model with functions of its own computes what it computes with their nodes in their place: nested calls, attributes
# that are given, handed on and by default, an input handed through, a body inside; names that the model has already.
cp -r "$SOURCE/tests/fixtures/functions" m
"$TARE" inspect m/functions.onnx | grep -A 9 '^operators'
"$TARE" build m/functions.onnx --fp32 -q --profile n=1:4:16 -o a.plan >built || exit
"$TARE" run a.plan m/calib --against m/inlined.onnx | sed -n '/^SQNR/p; /^[yz] /p'
"$TARE" quantize m/functions.onnx m/calib --profile n=1:4:16 -o b.onnx --json -q 2>/dev/null >text || exit
"$JSON_CHECK" layers.0.name == first/product layers.1.name == second/product <text
"$TARE" build b.onnx --fp32 -q --profile n=1:4:16 -o b.plan >built || exit
"$TARE" run b.plan m/calib --against m/inlined.onnx | sed -n '/^SQNR/p'
# Nodes have names of their own, also those of calls without one: other engines refuse a name that is there twice.
"$TARE" quantize m/unnamed.onnx m/calib --profile n=1:4:16 -o u.onnx -q >text 2>&1 || exit
grep -a -o 'Dense/product[_0-9]*' u.onnx
for bad in recursion opset inputs twice doubling; do
  "$TARE" inspect m/bad_$bad.onnx
  echo "exit $?"
done
