# "My layer precisions had no effect": TensorRT ignores them without --precisionConstraints=obey. Here one option is
# enough, and the only way to ignore requests says so.
model=$SOURCE/tests/fixtures/precision/encoder.onnx data=$SOURCE/tests/fixtures/precision/encoder.npz
# of fewer samples, layers have no static scales
mkdir eight && for i in 1 2 3 4 5 6 7 8; do cp "$data" eight/$i.npz; done
"$TARE" calibrate -q "$model" eight --profile batch=4,frames=1:24:100 -o x.json >text || exit
# without predicted losses, as an older table: all scales are static
sed -i 's/, "\(static_loss\|row_loss\)": \[[^]]*\]//g' x.json
build() {
  "$TARE" build "$model" --calib x.json --small-layers int8 -q -o x.plan "$@" >text || exit
}
precision() { # of a layer of the saved plan
  "$TARE" inspect x.plan --layers "$1" | grep '^  precision'
}
build && precision mixed
build --layer-precisions mixed:fp32 && precision mixed
cp x.plan default.plan
build --layerPrecisions=mixed:fp32 --precisionConstraints=obey && precision mixed
cmp x.plan default.plan && echo "the same bytes"
"$TARE" build "$model" --calib x.json --small-layers int8 -o x.plan --layer-precisions mixed:fp32 --precision-constraints none >text
precision mixed
"$TARE" build "$model" --calib x.json --small-layers int8 -o x.plan --precision-constraints obey >text
# A request that names nothing, or what cannot be had, is never without effect.
"$TARE" build "$model" --calib x.json --small-layers int8 -o y.plan --layer-precisions mixd:fp32
echo "exit $?"
"$TARE" build "$model" --fp32 --profile batch=4,frames=1:24:100 -o y.plan --layer-precisions mixed:int8 | grep '^mixed'
"$TARE" build "$model" --fp32 --profile batch=4,frames=1:24:100 -o y.plan --layer-precisions mixed:int8 \
  --precision-constraints obey
echo "exit $?"
