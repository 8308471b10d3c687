# A bad plan is never handed out without a word: calibrate, quantize, compare and tune look at a few samples.
digits=$EXAMPLES/digits-conv
model=$digits/digits-conv.onnx
warned() { sed -n 's/\(SQNR of \)[0-9.-]*/\1N/; s/([0-9.]* dB alone)/(N dB alone)/g; /warning: the\|cost most\|tare tune/p' err; }

"$TARE" calibrate "$model" "$digits/calib" --rate 8000 --limit 4 --method entropy -o x.json --json 2>err >text || exit
"$JSON_CHECK" accuracy.samples == 4 accuracy.sqnr_db '<' 20 accuracy.equal is false <text || exit
warned
echo "== a good one, and statistics"
"$TARE" calibrate "$model" "$digits/calib" --rate 8000 --limit 4 -o x.stats --json 2>err | "$JSON_CHECK" accuracy.sqnr_db '>' 20
warned
echo "== quiet"
"$TARE" calibrate "$model" "$digits/calib" --rate 8000 --limit 4 --method entropy -o x.json -q >/dev/null
echo "== quantize"
"$TARE" quantize "$model" "$digits/calib" --rate 8000 --limit 4 --method entropy -o x.onnx 2>err >text || exit
warned
echo "== compare"
"$TARE" compare "$model" "$digits/calib" --rate 8000 --limit 4 --methods entropy --fits native --eval "$digits/eval" 2>err >text || exit
warned
echo "== tune"
"$TARE" tune "$model" "$digits/calib" --rate 8000 --limit 4 --method entropy --sqnr 2 --time-limit 0.001 -o x.plan 2>err >text || exit
grep -c '^bounds     SQNR at least 2.0 dB' text
