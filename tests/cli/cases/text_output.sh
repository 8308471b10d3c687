# Text for people: figures are replaced, the words and columns stand.
model=$EXAMPLES/digits-conv/digits-conv.onnx
calm() { sed -e 's/[0-9][0-9]*\.[0-9.]*/F/g' -e 's/  */ /g' "$1"; }
"$TARE" calibrate "$model" "$EXAMPLES/digits-conv/calib" --rate 8000 --limit 5 \
  --profile samples=1000:20000:160000 -o digits.stats >text || exit
calm text
"$TARE" table digits.stats -o digits.cache -q >text || exit
sed -n '/^method\|^written/p' text
"$TARE" table digits.cache -o digits.json >text || exit
sed -n '/^method\|^written/p' text
"$TARE" table digits.json --method entropy -o again.json
echo "exit $?"
"$TARE" build "$model" --calib digits.stats -o digits.plan
echo "exit $?"
"$TARE" build "$model" --calib digits.json -o digits.plan
echo "exit $?"
"$TARE" build "$model" --calib digits.json --profile samples=1000:20000:160000 -o digits.plan >text || exit
sed -n '/^profile/p' text
"$TARE" run digits.plan "$EXAMPLES/digits-conv/eval" --rate 8000 --limit 2 --against "$model" >text || exit
calm text
