# An output whose name is that of another kind of file is a slip, and nothing is written.
model=$EXAMPLES/digits-conv/digits-conv.onnx
data=$EXAMPLES/digits-conv/calib
misuse() {
  "$TARE" "$@"
  code=$?
  [ $code = 2 ] || echo "exit $code: tare $*"
}
misuse build "$model" --fp32 --profile samples=1000:2000:3000 -o t.onnx
misuse build "$model" --fp32 --profile samples=1000:2000:3000 -o t.json
misuse run "$model" "$data" --save-outputs t.npz
misuse calibrate "$model" "$data" -o t.onnx
misuse compare "$model" "$data" --eval "$data" -o t.stats
"$TARE" calibrate "$model" "$data" --rate 8000 --limit 2 -o t.stats -q >text || exit
misuse table t.stats --format trt -o t.json
misuse table t.stats --format json -o t.plan
"$TARE" table t.stats --format json -o t.calibration >text || exit
"$TARE" table missing.stats --method entropy -o t.json
echo "exit $?"
ls
