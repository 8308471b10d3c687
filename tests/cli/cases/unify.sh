# One scale where TensorRT's calibrators have one.
model=$EXAMPLES/digits-conv/digits-conv.onnx
"$TARE" calibrate "$model" "$EXAMPLES/digits-conv/calib" --rate 8000 --limit 2 --all-tensors \
  -o x.stats -q >text || exit
"$TARE" table x.stats -o x.cache -q >text
sed 's|^/Unsqueeze_output_0: .*|/Unsqueeze_output_0: 3f800000|; s/^logits: .*/logits: 3a000000/' \
  x.cache >changed.cache
"$TARE" table changed.cache -o unified.cache --unify "$model" -q
cmp x.cache unified.cache # these move values, and have the scales of their inputs again
"$TARE" table changed.cache -o unified.cache --unify "$model" --json -q >text
"$JSON_CHECK" unified.groups == 2 unified.tensors == 4 unified.changed == 2 unified.largest '>' 1 <text
"$TARE" table x.stats -o unified.json --unify "$model"
echo "exit $?"
"$TARE" table x.stats --unify "$model"
echo "exit $?"
