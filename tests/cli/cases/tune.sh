# The fastest mix of precisions within a bound: it holds, build makes the same plan, the worst layer is cured.
EXAMPLES=$SMALL
model=$EXAMPLES/intents-mini/intents-mini.onnx
calib=$EXAMPLES/intents-mini/calib.h5
profile=sequence=2:64:512
tune() {
  "$TARE" tune "$model" "$calib" --profile $profile --limit 2 --method minmax "$@"
}
holds() { # PLAN SQNR: what the plan keeps on the samples of the search
  "$TARE" run "$1" "$calib" --limit 2 --against "$model" --json | "$JSON_CHECK" sqnr_db '>' "$2"
}
same() { # PLAN TABLE JSON
  requests=$(sed -n 's/.*"layer_precisions":	"\(.*\)",$/\1/p' "$3")
  "$TARE" build "$model" --calib "$2" --layer-precisions "$requests" -q -o again.plan >/dev/null &&
    cmp again.plan "$1" && echo "build makes the same plan"
}

tune --sqnr 27 --min-int8 50% -o a.plan --table a.json --json >text || exit
"$JSON_CHECK" command == tune method == minmax min_sqnr_db == 27 chosen.holds is true complete is true \
  chosen.sqnr_db '>' 26.999 default.samples == 2 layers length 22 output == a.plan table == a.json <text || exit
holds a.plan 26.999 || exit
same a.plan a.json text

# What the user asks for by name stays.
tune --sqnr 20 --time-limit 1 --layer-precisions '/head/*:fp32' -o b.plan --table b.json --json -q >text || exit
same b.plan b.json text
"$TARE" inspect b.plan --json | grep -A 12 '"name":	"/head/MatMul' | sed -n 's/.*\("precision":.*\),/\1/p'

# A share on integers, whatever is faster.
tune --sqnr 20 --min-int8 95% -o i.plan --json -q >text || exit
"$JSON_CHECK" min_integer_share == 0.95 integer_share '>' 0.94999 chosen.holds is true <text || exit
refused_share() {
  tune --sqnr "$1" --min-int8 "$2" --time-limit 0.001 -o never.plan -q
  echo "exit $?"
}
refused_share 150 50%
refused_share 20 101%
tune --sqnr 150 --min-int8 50% --layer-precisions '*:int8' -o never.plan -q
echo "exit $?"

# A bound that only float holds, and a search without time: there is a plan all the same.
tune --sqnr 150 -o c.plan --time-limit 0.001 -q | sed -n 's/^\(layers .*\)/\1/p; s/^\(bounds .*\)/\1/p; s/.*\(the search was ended early\)/\1/p'
"$TARE" run c.plan "$calib" --limit 2 --against "$model" --json | "$JSON_CHECK" equal is true || exit

# Times are known the second time, and the plan is the same; those of other machines are not used.
trained=$SOURCE/examples/intents-mini
model=$trained/intents-mini.onnx calib=$trained/calib.h5 # layers whose times differ by more than noise
cached() {
  tune --sqnr 27 --threads 2 --layer-precisions '/layers.*:int8' --timing-cache x.timings "$@"
}
cached -o e.plan --json -q >text || exit
"$JSON_CHECK" times.measured '>' 0 timing_cache == x.timings <text || exit
cp x.timings before
cached -o f.plan --json >text || exit
"$JSON_CHECK" times.measured == 0 times.known '>' 0 complete is true <text || exit
cmp e.plan f.plan && cmp before x.timings && echo "nothing new"
sed 's/"cpu": "[^"]*"/"cpu": "Z80"/' before >x.timings
cached -o f.plan --json --time-limit 0.001 2>err >text || exit
sed -n "s/, this is '.*';/, this is another;/p" err
"$JSON_CHECK" times.measured '>' 0 complete is false <text || exit
grep -c '"cpu"' x.timings
cached -o f.plan --threads 1 --json --time-limit 0.001 >text || exit
"$JSON_CHECK" times.measured '>' 0 <text || exit
grep -c '"cpu"' x.timings
model=$EXAMPLES/intents-mini/intents-mini.onnx calib=$EXAMPLES/intents-mini/calib.h5
echo '{"format": "tare.timings", "version": 7}' >bad.timings
for cache in bad.timings text "$calib" never.plan; do
  tune --timing-cache "$cache" -o never.plan
  echo "exit $?"
done

# Levels: static scales need a gain range, and the lowest level counts.
levels() {
  "$TARE" tune "$EXAMPLES/digits-conv/digits-conv.onnx" "$EXAMPLES/digits-conv/calib" --rate 8000 --limit 2 \
    --profile samples=1600:32000:120000 --method minmax --sqnr 30 --time-limit 0.001 -q "$@"
}
levels -o l.plan --json >text || exit
grep -c '"keeps_level":.*true' text
grep '"levels"' text
levels -o l.plan | sed -n 's/^levels *[0-9]* //p'
levels -o l.plan --json --gain-range -20:+20:20dB --min-int8 50% >text || exit
grep -c '"keeps_level":.*true' text
"$JSON_CHECK" levels length 3 levels.0.gain_db == -20 levels.2.gain_db == 20 levels.0.sqnr_db '>' 29.999 \
  levels.1.sqnr_db '>' 29.999 levels.2.sqnr_db '>' 29.999 levels.2.default_sqnr_db '>' 20 <text || exit

# An interrupt during the calibration leaves nothing behind; later one, the best plan so far.
interrupted() { # TEXT PLAN: as soon as the progress has TEXT
  env --default-signal=INT "$TARE" tune "$model" "$calib" --profile $profile --limit 8 --method minmax --sqnr 20 --min-int8 50% \
    --progress -o "$2" >text 2>progress &
  while kill -0 $! 2>/dev/null && ! grep -q "$1" progress 2>/dev/null; do
    sleep 0.02
  done
  kill -INT $!
  wait $!
  echo "exit $?"
}
interrupted '' never.plan
interrupted 'best so far' early.plan
holds early.plan 19.999 || exit
grep -o 'the search was ended early' text

# A metric as bound, on other data.
tune --max-drop 1% --time-limit 1 --eval "$EXAMPLES/intents-mini/eval.h5" --labels labels --metric accuracy -o d.plan --json -q >text || exit
"$JSON_CHECK" min_sqnr_db is null max_drop == 0.01 chosen.holds is true chosen.drop.high '<' 0.0100001 <text || exit

# What statistics decide about weights and channels is in the table, and in the plan.
model=$trained/intents-mini.onnx calib=$trained/calib.h5 # with channels to smooth
tune --sqnr 20 --time-limit 1 --weight-clipping on --bias-correction on --smoothing on -o w.plan --table w.json --json -q >text || exit
"$JSON_CHECK" clipped '>' 0 corrected '>' 0 smoothed '>' 0 chosen.holds is true <text || exit
same w.plan w.json text
tune --sqnr 20 --time-limit 1 --weight-rounding nearest -o n.plan --table n.json --json -q >text || exit
same n.plan n.json text
grep -c '"rounding"' n.json

refused() {
  "$TARE" tune "$@"
  echo "exit $?"
}
refused "$model" "$calib"
refused "$model" "$calib" -o never.plan --max-drop 1%
refused "$model" "$calib" -o never.plan --max-drop much --eval x.h5 --metric accuracy --labels labels
refused "$model" "$calib" -o never.onnx
refused "$model" "$calib" -o never.plan --table never.cache --smoothing auto
refused "$SOURCE/tests/fixtures/onnx/good_quantized.onnx" "$calib" -o never.plan
printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4), }" >row.npy
printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >>row.npy
refused "$SOURCE/tests/fixtures/onnx/good_half.onnx" row.npy -o never.plan
ls never.* 2>/dev/null || true

# Without a method: minmax, which clips nothing, where others gain little (entropy 0.15 dB here).
"$TARE" tune "$SOURCE/tests/fixtures/raised/deep.onnx" "$SOURCE/tests/fixtures/raised/calib" --profile n=1,t=4:12:20 \
  --sqnr 25 --time-limit 0.001 -o m.plan --json -q >text || exit
"$JSON_CHECK" method == minmax <text || exit
