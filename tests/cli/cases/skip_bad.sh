# What only the model refuses is skipped like what cannot be read, and counts nowhere.
model=$SOURCE/tests/fixtures/onnx/good_late_lookup.onnx
arrays=$SOURCE/tests/fixtures/arrays
data="$arrays/lookup_good.npz $arrays/lookup_bad.npz $arrays/lookup_unpaired.npz $arrays/bad_zip_crc.npz"
"$TARE" calibrate "$model" $data -o bad.stats
echo "exit $?"
"$TARE" run "$model" $data --profile batch=1:2:4
echo "exit $?"
"$TARE" calibrate "$model" $data --skip-bad --json -o all.stats --all-tensors | "$JSON_CHECK" \
  samples == 1 skipped == 3 || exit
"$TARE" calibrate "$model" "$arrays/lookup_good.npz" -q -o good.stats --all-tensors >text || exit
cmp all.stats good.stats || exit
"$TARE" run "$model" $data --skip-bad --json | "$JSON_CHECK" samples == 1 skipped == 3 || exit
"$TARE" inspect $data --model "$model" --skip-bad -q
