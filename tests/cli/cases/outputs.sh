# A plan with several outputs: the SQNR of each, which the sums over all would hide, and a search
# whose bound holds for each of them.
model=$SOURCE/tests/fixtures/precision/outputs.onnx data=$SOURCE/tests/fixtures/precision/outputs.npz
judge() {
  "$TARE" run "$@" "$data" --against "$model" | sed -n '/^output/,$p' | awk 'NR > 1 { print $1, $2 < 20 ? "bad" : "good" }'
}
"$TARE" calibrate "$model" "$data" -o x.json >text || exit
"$TARE" build -q "$model" --calib x.json --layer-precisions layer:int8 -o x.plan >text || exit
judge x.plan
"$TARE" run -q x.plan "$data" --against "$model" --json |
  "$JSON_CHECK" outputs length 2 outputs.0.name == small outputs.1.name == large outputs.1.equal is true
"$TARE" run -q x.plan "$data" --json | grep -c '"outputs"'
"$TARE" tune -q "$model" "$data" --sqnr 30 -o x.plan >text || exit
judge -q x.plan
# Convolutions whose results are outputs of the model, too, are calibrated, and stay in int8.
model=$SOURCE/tests/fixtures/onnx/good_conv_outputs.onnx data=$SOURCE/tests/fixtures/functions/calib
"$TARE" calibrate -q "$model" "$data" --profile batch=1:4:16 -o c.json >text || exit
grep -o '"name": "[^"]*"' c.json
"$TARE" build -q "$model" --calib c.json --small-layers int8 -o c.plan | grep '^layers'
"$TARE" quantize -q "$model" "$data" --profile batch=1:4:16 -o c.onnx | grep '^layers'
# What says why a layer is as it is names tensors of the model.
"$TARE" build "$model" --calib c.json --small-layers int8 --layer-output-types "*:int8" -o c.plan 2>/dev/null | grep 'as int8$'
