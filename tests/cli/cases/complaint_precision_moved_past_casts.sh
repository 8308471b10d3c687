# "Precision moved past the Casts": between the Q/DQ pairs of an int8 model they still round before the value is
# quantized. Of the 64 samples, many have other bytes without that rounding (make_models.py checks it).
fixtures=$SOURCE/tests/fixtures/precision
"$TARE" build "$fixtures/quantized_casts.onnx" --profile batch=1:64:64 -q -o x.plan | grep ^layers
"$TARE" run x.plan "$fixtures/quantized_casts.npz" --against "$fixtures/quantized_casts_golden.onnx" --json |
  "$JSON_CHECK" equal is true
