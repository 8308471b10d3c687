# A method that clips so much that layers stay in float is not the best one for their sake.
folder=$SOURCE/tests/fixtures/sparing
"$TARE" quantize "$folder/sparing.onnx" "$folder/calib" --profile n=1:60:200 -o a.onnx | sed -n '/^method/p; /^layers/p'
"$TARE" quantize "$folder/sparing.onnx" "$folder/calib" --profile n=1:60:200 -o b.onnx --json -q >text || exit
"$JSON_CHECK" methods.1.method == entropy methods.1.integer_share == 0 methods.1.sqnr_db is null method == mse \
  methods.0.integer_share == 1 <text
# Asked for by name, it is taken.
"$TARE" quantize "$folder/sparing.onnx" "$folder/calib" --profile n=1:60:200 -o c.onnx --method entropy 2>&1 | sed -n '/^method/p; /^layers/p; s/.*\(no layer.*\)/\1/p'
