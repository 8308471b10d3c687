# A decoder whose cache is empty at first: in one run, in steps, calibrated, built and quantized.
model=$SOURCE/tests/fixtures/onnx/good_cache.onnx
mkdir tokens
cp "$SOURCE"/tests/fixtures/onnx/good_cache_[0-3].npz tokens || exit
"$TARE" inspect "$model" | grep -A 3 '^inputs' || exit
"$TARE" run "$model" tokens --state present_key:past_key --state present_value:past_value \
  --save-outputs whole.h5 -q >text || exit
"$TARE" run "$model" tokens --save-outputs found.h5 2>&1 >text || exit
h5diff whole.h5 found.h5 && echo "states are found where archives lack them: the same outputs"
"$TARE" inspect tokens --model "$model" -q | sed -n "/^layout/,/^seq  /p" || exit
"$TARE" run "$model" tokens --chunk seq=1 --save-outputs steps.h5 2>&1 >text | grep profile || exit
# Of the last sample, of 4 tokens: the cache after the last step is that of the whole, and the logits of each step are
# the row of its token.
digits() {
  h5dump -d "$1" -y -w 0 -m %.3f "$2" | sed -n '/DATA {/,/}/p' | tr -cd '0-9.,\n-'
}
for cache in present_key present_value; do
  [ "$(digits "/0000003/$cache" whole.h5)" = "$(digits "/0000017/$cache" steps.h5)" ] && echo "$cache: equal"
done
for token in 14 15 16 17; do digits "/00000$token/logits" steps.h5; done >steps
digits /0000003/logits whole.h5 >whole
[ "$(tr -d ',\n' <steps)" = "$(tr -d ',\n' <whole)" ] && echo "logits: equal"
"$TARE" calibrate "$model" tokens --chunk seq=1 -o one.stats --threads 1 -q >text || exit
"$TARE" calibrate "$model" tokens --chunk seq=1 -o two.stats --threads 2 -q >text || exit
cmp one.stats two.stats && echo "the same statistics with two threads"
mkdir longer
cp "$SOURCE"/tests/fixtures/onnx/good_cache_longer_*.npz longer || exit
"$TARE" calibrate "$model" tokens --chunk seq=1 --generate 3 -o generated.json 2>&1 >text | grep profile || exit
"$TARE" calibrate "$model" longer --chunk seq=1 -o longer.json -q >text || exit
cmp generated.json longer.json && echo "generated tokens count like those of the data"
for shard in 1 0; do
  "$TARE" calibrate "$model" tokens --chunk seq=1 --generate 3 --shard $shard/2 -o $shard.stats -q >text || exit
done
"$TARE" merge 0.stats 1.stats --model "$model" -o merged.stats -q >text || exit
"$TARE" table merged.stats -o merged.json -q >text || exit
cmp merged.json generated.json && echo "in shards as well"
"$TARE" table one.stats -o table.json -q >text || exit
"$TARE" build "$model" --calib table.json --isa any -o int8.plan | grep profile || exit
"$TARE" run int8.plan tokens --chunk seq=1 --against "$model" --json 2>text |
  "$JSON_CHECK" samples == 18 sqnr_db '>' 25 || exit
"$TARE" quantize "$model" tokens --chunk seq=1 -o int8.onnx -q >text || exit
"$TARE" check int8.onnx -q | grep found || exit
"$TARE" run int8.onnx tokens --chunk seq=1 --against "$model" --json 2>text |
  "$JSON_CHECK" samples == 18 sqnr_db '>' 15 || exit
"$TARE" compare "$model" tokens --eval tokens --chunk seq=1 --methods minmax --json 2>text >compared || exit
grep 'left out' text
"$TARE" bench "$model" --symbols past=3,seq=1 --iterations 2 --duration 0 --json |
  "$JSON_CHECK" shape == 'batch=1,seq=1,seq + past=4,past=3' || exit
echo "data that have the cache, which is empty"
empty=$SOURCE/tests/fixtures/onnx/good_cache_empty.npz
"$TARE" profiles "$empty" "$SOURCE/tests/fixtures/onnx/good_cache_full.npz" --model "$model" | grep '^symbol\|^--profile'
"$TARE" run "$model" "$empty" --save-outputs empty.h5 >text || exit
h5ls empty.h5/0/present_key 2>/dev/null || h5ls -r empty.h5 | grep present_key
echo "what is wrong"
"$TARE" run "$model" "$empty" --profile past=1:1:9,seq=2
echo "exit $?"
"$TARE" run "$model" tokens --chunk seq=1 --fit pad -q
echo "exit $?"
"$TARE" run "$model" tokens --chunk seq=1 --profile "past=0:0:0,seq=1:4:9,'seq + past'=1:4:8" -q
echo "exit $?"
"$TARE" run "$model" tokens --chunk seq=1 --profile past=1:3:9 -q
echo "exit $?"
"$TARE" calibrate "$model" tokens --generate 3 -o none.json
echo "exit $?"
"$TARE" calibrate "$model" tokens --chunk seq=2 --generate 3 -o none.json -q
echo "exit $?"
"$TARE" merge 0.stats one.stats -o none.stats -q
echo "exit $?"
