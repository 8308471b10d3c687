# A bad plan is never handed out without a word: calibrate, quantize, compare and tune look at a few samples.
mini=$EXAMPLES/intents-mini
model=$mini/intents-mini.onnx
warned() { sed -n 's/\(SQNR of \)[0-9.-]*/\1N/; s/([0-9.-]* dB alone)/(N dB alone)/g; /warning: [tx]\|cost most\|tare tune\|keeps/p' err; }

# attention has static scales, which this method clips; tests/cli/cases/raise_layers.sh has what is done about it
"$TARE" calibrate "$model" "$mini/calib.h5" --limit 4 --method percentile --percentile 70 --raise-layers off --time-limit 600 -o x.json --json 2>err >text || exit
"$JSON_CHECK" accuracy.samples == 4 accuracy.sqnr_db '<' 20 accuracy.equal is false <text || exit
warned
echo "== a good one, and statistics"
"$TARE" calibrate "$model" "$mini/calib.h5" --limit 4 -o x.stats --json 2>err | "$JSON_CHECK" accuracy.sqnr_db '>' 20
warned
echo "== quiet"
"$TARE" calibrate "$model" "$mini/calib.h5" --limit 4 --method percentile --percentile 70 --raise-layers off -o x.json -q >/dev/null
echo "== quantize"
"$TARE" quantize "$model" "$mini/calib.h5" --limit 4 --method percentile --percentile 70 --raise-layers off --time-limit 600 -o x.onnx 2>err >text || exit
warned
echo "== compare"
"$TARE" compare "$model" "$mini/calib.h5" --limit 4 --methods percentile --percentile 70 --fits native --raise-layers off --eval "$mini/eval.h5" 2>err >text || exit
warned
echo "== tune"
"$TARE" tune "$model" "$mini/calib.h5" --limit 4 --method percentile --percentile 70 --sqnr -9 --time-limit 0.001 -o x.plan 2>err >text || exit
grep -c '^bounds     SQNR at least -9.0 dB' text
