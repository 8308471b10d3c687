# "A fusion swallowed the layer that was to stay in fp32": a request finds every node by its own name in whatever it was
# fused into, and the whole fusion obeys.
fixtures=$SOURCE/tests/fixtures/precision
# of fewer samples, layers have no static scales
mkdir eight && for i in 1 2 3 4 5 6 7 8; do cp "$fixtures/fused.npz" eight/$i.npz; done
"$TARE" calibrate -q "$fixtures/fused.onnx" eight --profile batch=2,frames=1:20:40 -o x.json >text || exit
# without predicted losses, as an older table: all scales are static
sed -i 's/, "\(static_loss\|row_loss\)": \[[^]]*\]//g' x.json
"$TARE" build "$fixtures/fused.onnx" --calib x.json --small-layers int8 -q -o x.plan | grep ^layers
for name in conv batch_norm relu linear biased sigmoid gate scores scaled softmax context merged out residual; do
  "$TARE" build "$fixtures/fused.onnx" --calib x.json --small-layers int8 -q -o x.plan --layer-precisions "$name:fp32" >text || exit
  echo "$name: $("$TARE" inspect x.plan --layers "$name" | sed -n -e 's/^layer [0-9]* *//p' -e 's/^  precision/  /p' | tr '\n' ' ')"
done
"$TARE" build "$fixtures/fused.onnx" --calib x.json --small-layers int8 -q -o x.plan --layer-precisions '*:fp32' >text || exit
"$TARE" run x.plan "$fixtures/fused.npz" --against "$fixtures/fused_golden.onnx" --json | "$JSON_CHECK" sqnr_db '>' 120
