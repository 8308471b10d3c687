# A file that is not there is named; exit code 3, and 5 where nothing can be written.
expect() {
  wanted=$1
  shift
  "$TARE" "$@"
  code=$?
  [ $code = "$wanted" ] || echo "exit $code, not $wanted: tare $*"
}
model=$EXAMPLES/digits-conv/digits-conv.onnx
expect 3 calibrate gone.onnx data -o x.stats
expect 3 calibrate "$model" gone.h5 -o x.stats
expect 5 calibrate "$model" "$EXAMPLES/digits-conv/calib" -o gone/x.stats
expect 3 table gone.stats -o x.json
expect 3 build gone.onnx --fp32 -o x.plan --profile samples=1000:2000:3000
expect 3 build "$model" --calib gone.json -o x.plan --profile samples=1000:2000:3000
expect 3 build "$model" --fp32 --profile-file gone.txt -o x.plan
expect 3 run gone.plan data
expect 3 run "$model" gone.h5
expect 3 run "$model" "$EXAMPLES/digits-conv/eval" --against gone.onnx
expect 5 run "$model" "$EXAMPLES/digits-conv/eval" --save-outputs gone/x.h5
expect 3 bench gone.plan
expect 3 inspect gone.onnx
expect 3 compare "$model" gone.h5 --eval gone.h5
ls
