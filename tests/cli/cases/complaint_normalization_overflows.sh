# "With fp16 or int8 the normalizations broke": they and softmax compute in float whatever the layers around them
# were asked for, also in models whose own float16 would overflow.
fixtures=$SOURCE/tests/fixtures/precision
model=$fixtures/encoder.onnx
# of fewer samples, layers have no static scales
mkdir eight && for i in 1 2 3 4 5 6 7 8; do cp "$fixtures/encoder.npz" eight/$i.npz; done
"$TARE" calibrate -q "$model" eight --profile batch=4,frames=1:24:100 -o x.json >text || exit
# without predicted losses, as an older table: all scales are static
sed -i 's/, "\(static_loss\|row_loss\)": \[[^]]*\]//g' x.json
for request in '*:int8' '*:bf16' '*:int16'; do
  "$TARE" build "$model" --calib x.json --small-layers int8 -q -o x.plan --layer-precisions "$request" >text || exit
  "$TARE" inspect x.plan | awk '$0 ~ /Normalization|Softmax/ { for (i = 1; i < NF; i++) if ($i == "fp32") print $(i - 1), $i }'
done
# Asking for what they have is no mistake; asking for less is refused by name.
"$TARE" build "$model" --calib x.json --small-layers int8 -q -o x.plan --layer-precisions '*norm*:fp32,@Softmax:fp32' | grep ^layers
"$TARE" build "$model" --calib x.json --small-layers int8 -q -o x.plan --layer-precisions layer_norm:int8
echo "exit $?"
# RMS norm, layer norm and softmax of a float16 model whose squares exceed 65504, against NumPy in float64.
"$TARE" build "$fixtures/norm_half.onnx" --fp32 --profile batch=1:4:8 -q -o half.plan >text || exit
"$TARE" run half.plan "$fixtures/norm_half.npz" --against "$fixtures/norm_half_golden.onnx" --json |
  "$JSON_CHECK" sqnr_db '>' 120
