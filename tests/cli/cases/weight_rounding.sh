# Weights rounded as a table says: what is shown, refused, ignored, and lost in other formats.
model=$EXAMPLES/intents-mini/intents-mini.onnx data=$EXAMPLES/intents-mini/calib.h5
"$TARE" calibrate -q "$model" "$data" --limit 8 --profile sequence=2:64:512 --weight-rounding nearest \
  -o x.json >text || exit
zeros() { # so many characters: every weight is rounded down
  head -c "$1" /dev/zero | tr '\0' A
}
round() { # tables with roundings
  awk -v lines="$1" '/^  "tensors"/ { print "  \"rounding\": {\n    " lines "}," } { print }' x.json |
    sed 's/"minor": 0/"minor": 1/'
}
head="\"/head/MatMul\": {\"n\": 150, \"k\": 128, \"hash\": \"16076a89397390ce\", \"up\": \"$(zeros 3200)\"}"
round "$head" >head.json
round "$head, \"/layers.0/q/MatMul\": {\"n\": 128, \"k\": 128, \"hash\": \"16076a89397390ce\", \"up\": \"$(zeros 2732 |
  sed 's/.$/=/')\"}, \"gone\": {\"n\": 1, \"k\": 1, \"hash\": \"0000000000000000\", \"up\": \"AA==\"}" >other.json
build() {
  "$TARE" build "$model" -o x.plan "$@" | grep '^rounding\|rounding table'
}
equals_nearest() {
  "$TARE" run x.plan "$data" --limit 8 --against nearest.plan --json | tr -d ' \t\n' |
    grep -o '"equal":[a-z]*' | head -1
}
echo "== table" >&2
build --calib head.json
"$TARE" inspect x.plan --layers '/head/MatMul' | grep '^layer \|rounding'
"$TARE" inspect x.plan --json | tr -d ' \t\n' | grep -o '"rounding":"[a-z]*"' | sort | uniq -c | sed 's/^ *//'
"$TARE" build -q "$model" -o nearest.plan --calib x.json >text
equals_nearest
echo "== nearest" >&2
build --calib head.json --weight-rounding nearest
equals_nearest
echo "== other" >&2
build --calib other.json
"$TARE" build -q "$model" -o x.plan --calib other.json --json | tr -d ' \t\n' |
  grep -o '"unused_roundings":[^]]*\]'
echo "== formats" >&2
"$TARE" table head.json -o head.cache >text
"$TARE" table head.json -o again.json >text
cmp head.json again.json
echo "== misuse" >&2
"$TARE" build "$model" -o y.plan --calib head.json --weight-rounding up
echo "exit $?"
sed 's/"up": "AAAA/"up": "AAA-/' head.json >bad.json
"$TARE" build "$model" -o y.plan --calib bad.json
echo "exit $?"
