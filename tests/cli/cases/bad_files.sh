# Files that are something else, cut or empty are refused by name.
expect() {
  wanted=$1
  shift
  "$TARE" "$@" >/dev/null 2>message
  code=$?
  [ $code = "$wanted" ] || echo "exit $code, not $wanted: tare $*: $(cat message)"
  [ "$(grep -c '^tare: ' message)" = 1 ] || echo "no sentence: tare $*: $(cat message)"
}
: >empty
echo nonsense >text
head -c 5000 "$EXAMPLES/digits-conv/digits-conv.onnx" >cut.onnx
head -c 500 "$EXAMPLES/digits-conv/eval/0000.ogg" >cut.ogg
head -c 3000 "$EXAMPLES/intents-mini/eval.h5" >cut.h5
printf '{"format": "something else"}' >other.json
printf 'TRT-1-X\nnonsense\n' >bad.cache
model=$EXAMPLES/digits-conv/digits-conv.onnx
for file in empty text cut.onnx; do
  expect 3 inspect $file
  expect 3 bench $file --symbols samples=1000
  expect 3 run "$model" $file
done
expect 3 inspect other.json
expect 3 inspect bad.cache
expect 3 build "$model" --calib other.json -o x.plan
expect 3 build "$model" --calib text -o x.plan
expect 3 table text -o x.json
expect 3 run "$EXAMPLES/intents-mini/intents-mini.onnx" cut.h5
expect 3 run "$model" cut.ogg
ls
# What has no business here is named for what it is; nothing is printed before the error.
"$TARE" calibrate "$model" "$EXAMPLES/digits-conv/eval" --rate 8000 --limit 1 -o digits.stats -q >printed
for file in digits.stats bad.cache "$EXAMPLES/digits-conv/eval" nothing.csv; do
  "$TARE" bench $file --symbols samples=1000
done
"$TARE" inspect cut.ogg
echo "exit $?"
