# Models that draw random numbers: by the seed and the contents of samples, whatever else differs.
F=$SOURCE/tests/fixtures/random
model=$F/speech.onnx
profile="--profile n=20:40:64"
calibrate() { # FILE OPTION...
  file=$1
  shift
  "$TARE" calibrate "$model" $profile -q -o "$file" "$@" >printed || exit
}
echo "== what it says of models"
"$TARE" inspect "$F/noise.onnx" | sed -n '/^random/p; /^operators/,$p'
"$TARE" inspect "$F/fed.onnx" | grep '^random'
"$TARE" inspect "$model" --json | "$JSON_CHECK" random_nodes == 3
"$TARE" build "$model" --fp32 $profile -q -o float.plan >printed
"$TARE" inspect float.plan | grep '^random'
echo "== statistics are the same for any order, threads and shards"
calibrate all.stats "$F"/x?.npz --threads 2
calibrate turned.stats "$F/x3.npz" "$F/x0.npz" "$F/x2.npz" "$F/x1.npz" --threads 1
cmp all.stats turned.stats && echo "order and threads: the same"
for i in 0 1; do
  calibrate $i.stats "$F"/x?.npz --shard $i/2
done
"$TARE" merge [01].stats --model "$model" -q -o sum.stats >printed
cmp all.stats sum.stats && echo "shards: the same"
calibrate scalar.stats "$F"/x?.npz --isa scalar
cmp all.stats scalar.stats && echo "instruction sets: the same"
calibrate seeded.stats "$F"/x?.npz --seed 7
"$TARE" diff all.stats seeded.stats | grep '^seed\|^different'
calibrate 1.stats "$F"/x?.npz --shard 1/2 --seed 7
"$TARE" merge 0.stats 1.stats --model "$model" -q -o sum.stats
echo "exit $?"
echo "== float and int8 draw the same, in a plan, a file of it, and a quantized model"
"$TARE" table all.stats --model "$model" -q -o table.json >printed
"$TARE" build "$model" --calib table.json $profile --small-layers int8 -q -o int8.plan >printed
"$TARE" run int8.plan "$F"/x?.npz --against "$model" --seed 3 -q | grep '^noise\|^phases\|^each'
"$TARE" quantize "$model" "$F"/x?.npz $profile --target generic --raise-layers off -q -o quantized.onnx >printed 2>&1
"$TARE" run quantized.onnx "$F"/x?.npz --against "$model" --seed 4 -q | grep '^noise\|^phases\|^each'
"$TARE" inspect quantized.onnx | grep '^random'
echo "== seeds"
for seed in 0 1; do
  "$TARE" run "$F/noise.onnx" "$F"/noise?.npz --seed $seed -q --save-outputs $seed.h5 >printed
done
"$TARE" run "$F/noise.onnx" "$F"/noise?.npz -q --threads 1 --save-outputs again.h5 >printed
cmp 0.h5 again.h5 && echo "the default is 0"
cmp -s 0.h5 1.h5 || echo "another seed draws others"
echo "== what is drawn can be fed"
"$TARE" run "$model" "$F"/x?.npz -q --save-outputs drawn.h5 >printed
"$TARE" run "$F/fed.onnx" drawn.h5 --labels wave --metric mae -q | grep '^mae'
echo "== misuse"
"$TARE" run "$F/fed.onnx" drawn.h5 --seed 3
echo "exit $?"
"$TARE" run "$model" "$F/x0.npz" --seed x 2>&1 | head -1
