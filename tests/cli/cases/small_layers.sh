# Layers with so few products that integers would be slower are float, counted, and explained one by one;
# an option or a request by name has them in int8 all the same.
model=$SOURCE/tests/fixtures/precision/encoder.onnx data=$SOURCE/tests/fixtures/precision/encoder.npz
# of fewer samples, layers have no static scales
mkdir eight && for i in 1 2 3 4 5 6 7 8; do cp "$data" eight/$i.npz; done
"$TARE" calibrate -q "$model" eight --profile batch=4,frames=1:24:100 -o x.json >text || exit
# without predicted losses, as an older table: all scales are static
sed -i 's/, "\(static_loss\|row_loss\)": \[[^]]*\]//g' x.json
build() {
  "$TARE" build "$model" --calib x.json -o x.plan "$@" | grep '^layers\|^small'
}
build
"$TARE" run x.plan "$data" --against "$model" --json | "$JSON_CHECK" equal is true || exit
"$TARE" inspect x.plan --layers mixed | grep '^  precision'
build --small-layers int8
"$TARE" run x.plan "$data" --against "$model" --json | "$JSON_CHECK" sqnr_db '>' 25 || exit
"$TARE" inspect x.plan --layers mixed | grep '^  precision'
build --layer-precisions mixed:int8
"$TARE" inspect x.plan --layers mixed | grep '^  precision'
"$TARE" build "$model" --calib x.json -o x.plan --small-layers bf16
echo "exit $?"
