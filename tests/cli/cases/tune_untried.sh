# Static scales are judged at the levels of the data, which the report says; plans hold the bound on samples that calibrate too.
models=$SOURCE/tests/fixtures/raised model=$SOURCE/tests/fixtures/raised/deep.onnx
tune() { # OPTION...: what the report says of bounds and levels, without the number of layers
  "$TARE" tune -q "$model" "$models/calib" "$models/others" --profile n=1,t=4:12:20 -o x.plan "$@" >text || exit
  sed -n 's/: [0-9]* layers* ha[a-z]*/: layers have/; /^bounds\|^untried/p' text
}
tune --sqnr 20
"$TARE" run -q x.plan "$models/calib" "$models/others" --against "$model" --json | "$JSON_CHECK" sqnr_db '>=' 20
echo "== levels are tried"
tune --sqnr 20 --gain-range -6:6dB --waveform x
echo "== nothing is static"
tune --sqnr 120
