# "I constrained some layers, and the engine became slower": the build counts the conversions that requests add, the
# bytes that they move, and the multiply-adds that leave int8.
model=$SOURCE/tests/fixtures/precision/encoder.onnx data=$SOURCE/tests/fixtures/precision/encoder.npz
# of fewer samples, layers have no static scales
mkdir eight && for i in 1 2 3 4 5 6 7 8; do cp "$data" eight/$i.npz; done
"$TARE" calibrate -q "$model" eight --profile batch=4,frames=1:24:100 -o x.json >text || exit
# without predicted losses, as an older table: all scales are static
sed -i 's/, "\(static_loss\|row_loss\)": \[[^]]*\]//g' x.json
build() {
  "$TARE" build "$model" --calib x.json --small-layers int8 -o x.plan "$@" | sed -n -e '/^layers/p' -e '/^requests/{s/[0-9.]* kB/_/g;p;}'
  "$TARE" inspect x.plan --json | tr -d ' \t\n' | grep -o '"op":"\(Quantize\|Dequantize\)"' | sort | uniq -c | tr -s ' '
}
build
build --layer-output-types '*:fp32'
build --layer-precisions 'mixed:fp32'
build --layer-precisions '*:fp32'
build --layer-weight-types '*:int8'
"$TARE" build "$model" --calib x.json --small-layers int8 -o x.plan --layer-output-types '*:fp32' --json -q | "$JSON_CHECK" \
  requests.changed_layers '>' 0 requests.without.conversions == 1 requests.with.conversions == 5 \
  requests.without.moved_bytes '<' 80000 requests.with.moved_bytes '>' 100000 \
  requests.with.integer_macs '>' 0 requests.with.macs '>' 0 || exit
"$TARE" build "$model" --calib x.json --small-layers int8 -o x.plan --json -q | "$JSON_CHECK" requests is missing
