# A spectrum by a convolution: float by transforms, what requests and few frames get, and that transforms
# are the sums of a model whose weights are off by 3e-6 in one place.
models=$SOURCE/tests/fixtures/spectrum model=$models/spectrum.onnx
profile='--profile t=200:400:600'
kernel() { # of the spectrum: PLAN
  "$TARE" inspect "$1" | awk '$1 == "n_conv0" && $2 != "ConvLast" && $2 != "QConvLast" {
    print $2, ($NF ~ /^fourier_/ ? "transforms" : "products") }'
}
"$TARE" calibrate -q "$model" "$models/calib" $profile -o x.json >text
for options in '--fp32' '--calib x.json' '--calib x.json --layer-precisions n_conv0:int8' \
  '--calib x.json --layer-precisions n_conv0:bf16' '--calib x.json --small-layers int8' \
  '--calib x.json --layer-weight-types n_conv0:int8'; do
  echo "== $options"
  "$TARE" build -q "$model" $profile $options -o x.plan | grep Fourier
  kernel x.plan
done
echo "== fewer than eight frames"
"$TARE" build -q "$model" --profile t=100:160:167 --calib x.json -o x.plan | grep Fourier
kernel x.plan
"$TARE" build -q "$model" --profile t=100:160:168 --calib x.json -o x.plan | grep -o 'Fourier'
kernel x.plan
echo "== transforms and sums"
"$TARE" build -q "$model" $profile --fp32 -o x.plan >text
"$TARE" build -q "$models/nearly.onnx" $profile --fp32 -o y.plan >text
kernel x.plan
kernel y.plan
"$TARE" run x.plan "$models/calib" --against y.plan --json | tr -d ' \t' |
  awk -F '[:,]' '/"sqnr_db"/ { print ($2 > 100 ? "above" : "below") " 100 dB"; exit }'
