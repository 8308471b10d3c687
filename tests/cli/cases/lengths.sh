# An input that holds how long another is follows where samples are cut; the model fails if it does not.
model=$SOURCE/tests/fixtures/onnx/good_lengths.onnx
arrays=$SOURCE/tests/fixtures/arrays
profiles="--profile sequence=2:8:20 --profile sequence=21:32:40"
for fit in native pad truncate opt; do
  echo "== $fit"; echo "== $fit" >&2
  "$TARE" calibrate "$model" "$arrays/good_lengths.npz" $profiles --fit $fit --method minmax \
    -o $fit.json --json | "$JSON_CHECK" samples == 12 || exit
  "$TARE" build "$model" --calib $fit.json --small-layers int8 -o $fit.plan -q >built || exit
  "$TARE" run $fit.plan "$arrays/good_lengths.npz" --fit $fit --against "$model" --json |
    "$JSON_CHECK" samples == 12 sqnr_db '>' 20 || exit
  "$TARE" run $fit.plan "$arrays/good_lengths.npz" --fit $fit -q --save-outputs $fit.h5 >ran || exit
done
echo "== padding changes nothing, cutting does"
cmp native.h5 pad.h5 && echo "pad: as alone"
"$TARE" run native.plan "$arrays/good_lengths.npz" --fit pad -q --save-outputs padded.h5 >ran &&
  cmp native.h5 padded.h5 && echo "native plan, padded: as alone"
cmp native.h5 opt.h5 >differ || echo "opt: cut"
echo "== all ways, beside one another"; echo "== all ways, beside one another" >&2
"$TARE" compare "$model" "$arrays/good_lengths.npz" --eval "$arrays/good_lengths.npz" $profiles \
  --fits all --methods minmax --fit opt --json | "$JSON_CHECK" strategies length 5 \
  strategies.0.error is missing strategies.4.error is missing || exit
echo "== outside all profiles"; echo "== outside all profiles" >&2
"$TARE" run "$model" "$arrays/good_lengths.npz" --profile sequence=5:8:20 --outside nearest --json |
  "$JSON_CHECK" samples == 12
echo "== one sample has room behind its length: declared"; echo "== one sample has room behind its length: declared" >&2
"$TARE" run "$model" "$arrays/good_lengths_shorter.npz" $profiles --fit opt \
  --length-input input_lengths=ids:1 --json | "$JSON_CHECK" samples == 12
echo "== and one is longer than it is: nothing follows, and nothing can"; echo "== and one is longer than it is: nothing follows, and nothing can" >&2
"$TARE" run "$model" "$arrays/good_lengths_longer.npz" $profiles --fit opt
echo "exit $?"
"$TARE" run "$model" "$arrays/good_lengths_longer.npz" $profiles --fit opt \
  --length-input input_lengths=sequence
echo "exit $?"
"$TARE" run "$model" "$arrays/good_lengths.npz" $profiles --length-input ids=sequence
echo "exit $?"
"$TARE" run "$model" "$arrays/good_lengths.npz" $profiles --chunk sequence=8 \
  --length-input input_lengths=sequence
echo "exit $?"
