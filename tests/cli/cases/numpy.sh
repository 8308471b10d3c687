# NumPy archives, and a folder per sample with an array per input.
model=$EXAMPLES/intents-mini/intents-mini.onnx
arrays=$SOURCE/tests/fixtures/arrays
mkdir data data/000 data/001
for i in 000 001; do
  cp "$arrays/good_little_i4.npy" data/$i/input_ids.npy
  cp "$arrays/good_bool.npy" data/$i/attention_mask.npy
done
"$TARE" inspect "$arrays/good_sample.npz" data --model "$model" || exit
"$TARE" inspect data --model "$model" --rows --limit 3 || exit
"$TARE" calibrate "$model" data "$arrays/good_sample_packed.npz" --profile sequence=1:4:8,batch=1:1:2 \
  -o numpy.json --json | "$JSON_CHECK" samples == 3 skipped == 0 || exit
"$TARE" run "$model" data/000 --json | "$JSON_CHECK" samples == 1 || exit
"$TARE" inspect "$arrays/good_sample.npz"
echo "exit $?"
"$TARE" run "$model" "$arrays/bad_objects.npz" --profile sequence=1:4:8
echo "exit $?"
