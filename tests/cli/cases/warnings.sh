# What a table warned of is said again by the command that uses it; --symmetric says what it loses.
model=$EXAMPLES/digits-conv/digits-conv.onnx
"$TARE" calibrate "$model" "$EXAMPLES/digits-conv/calib" --rate 8000 --limit 4 -o digits.stats -q \
  >text || exit
"$TARE" table digits.stats --method entropy -o entropy.json >text || exit
sed -n '/^warnings/,/^written/p' text
"$TARE" build "$model" --calib entropy.json -o digits.plan 2>said >text || exit
cat said
"$TARE" table digits.stats -o digits.json >text || exit
"$TARE" build "$model" --calib digits.json -o digits.plan -q --json |
  "$JSON_CHECK" warnings length 1 precisions.int8-rows '>' 0 || exit
"$TARE" build "$model" --calib digits.json --symmetric -o symmetric.plan >text || exit
sed "s/(.* s)$/(time)/" text
"$TARE" build "$model" --calib digits.json --symmetric -o symmetric.plan -q >text || exit
