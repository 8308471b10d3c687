# Every pair of formats of tables: what a file leaves out is said once, and lost for good.
model=$EXAMPLES/digits-conv/digits-conv.onnx
data=$EXAMPLES/digits-conv/calib
extensions=$("$TARE" table x -o x 2>&1 | sed -n "s/.*: use \(.*\), or give --format.*/\1/p" | sed 's/,\| or / /g')
"$TARE" calibrate "$model" "$data" --rate 8000 --limit 4 --all-tensors -o all.stats -q >text || exit
lost() {
  "$JSON_CHECK" lost length "$1" <text || cat text
}
for a in $extensions; do
  echo "== $a"
  "$TARE" table all.stats -o "from$a" --json >text || exit
  for b in $extensions; do
    echo "== $a $b" >&2
    "$TARE" table "from$a" -o "to$b" --json >text || exit
    "$TARE" table "to$b" -o "again$b" --json -q >text || exit
    lost 0
    cmp "to$b" "again$b"
    "$TARE" inspect "to$b" | sed -n '/^method\|^profile/p'
  done
done
echo "== calibrate" >&2
"$TARE" calibrate "$model" "$data" --rate 8000 --limit 2 --profile samples=1000:20000:160000 -o x.cache --json >text
"$JSON_CHECK" table.lost length 9 <text
"$TARE" calibrate "$model" "$data" --rate 8000 --limit 2 -o x.json --json -q >text
"$JSON_CHECK" table.lost length 0 <text
"$TARE" table all.stats -o x.cache -q >text
"$TARE" build "$model" --calib x.cache --profile samples=1000:20000:160000 -o x.plan -q --json | "$JSON_CHECK" warnings length 0
