# Every pair of formats of tables: what a file leaves out is said once, and lost for good.
EXAMPLES=$SMALL
model=$EXAMPLES/intents-mini/intents-mini.onnx
data=$EXAMPLES/intents-mini/calib.h5
profile=sequence=2:64:1024
extensions=$("$TARE" table x -o x 2>&1 | sed -n "s/.*: use \(.*\), or give --format.*/\1/p" | sed 's/,\| or / /g')
"$TARE" calibrate "$model" "$data" --limit 4 --profile $profile --all-tensors -o all.stats -q >text || exit
lost() {
  "$JSON_CHECK" lost length "$1" <text || cat text
}
for a in $extensions; do
  echo "== $a"
  "$TARE" table all.stats -o "from$a" --model "$model" --json >text || exit
  for b in $extensions; do
    echo "== $a $b" >&2
    "$TARE" table "from$a" -o "to$b" --model "$model" --json >text || exit
    "$TARE" table "to$b" -o "again$b" --json -q >text || exit
    lost 0
    cmp "to$b" "again$b"
    "$TARE" inspect "to$b" | sed -n '/^method\|^profile/p'
  done
done
echo "== calibrate" >&2
"$TARE" calibrate "$model" "$data" --limit 2 --profile $profile -o x.cache --json >text
"$JSON_CHECK" table.lost length 9 <text
"$TARE" calibrate "$model" "$data" --limit 2 --profile $profile -o x.json --json -q >text
"$JSON_CHECK" table.lost length 0 <text
"$TARE" table all.stats -o x.cache -q >text
"$TARE" build "$model" --calib x.cache --profile $profile -o x.plan -q --json | "$JSON_CHECK" warnings length 0
