# Static scales are judged at the levels of the data, which the report says; plans hold the bound on samples that calibrate too.
models=$SOURCE/tests/fixtures/raised model=$SOURCE/tests/fixtures/raised/deep.onnx
tune() { # OPTION...: what the report says of bounds, and whether levels are untried just where layers are static: times decide that
  "$TARE" tune -q "$model" "$models/calib" "$models/others" --profile n=1,t=4:12:20 -o x.plan --sqnr 20 "$@" >text || exit
  sed -n '/^bounds/p' text
  static=$(grep -c '^layers.* int\(8\|16\) [0-9]' text)
  [ "$static" = "$(grep -c '^untried  .*: [0-9]* layers\{0,1\} ha.* static scales' text)" ] || cat text
}
tune --min-int8 80%
"$TARE" run -q x.plan "$models/calib" "$models/others" --against "$model" --json | "$JSON_CHECK" sqnr_db '>=' 20
tune
echo "== levels are tried"
tune --gain-range -6:6dB --waveform x >trial
grep '^untried' text || echo none
