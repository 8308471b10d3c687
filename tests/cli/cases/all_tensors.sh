# TensorRT's cache has every tensor; from statistics it has theirs, and that is said.
model=$EXAMPLES/digits-conv/digits-conv.onnx
data=$EXAMPLES/digits-conv/calib
"$TARE" calibrate "$model" "$data" --rate 8000 --limit 1 -o direct.cache -q >text || exit
"$TARE" calibrate "$model" "$data" --rate 8000 --limit 1 -o few.stats -q >text || exit
"$TARE" calibrate "$model" "$data" --rate 8000 --limit 1 -o all.stats --all-tensors -q >text || exit
"$TARE" table all.stats -o all.cache -q >text || exit
"$TARE" table few.stats -o few.cache 2>said >text || exit
sed 's/[0-9][0-9]*/N/' said
cmp direct.cache all.cache
[ "$(wc -l <few.cache)" -lt "$(wc -l <all.cache)" ] || echo "no fewer tensors"
"$TARE" table few.stats -o few.json || exit
