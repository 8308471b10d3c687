# Levels of the data: calibrated over, shown, and recorded.
trained=$EXAMPLES/digits-conv EXAMPLES=$SMALL
model=$EXAMPLES/digits-conv/digits-conv.onnx
calib=$EXAMPLES/digits-conv/calib
eval=$EXAMPLES/digits-conv/eval
profile=samples=1000:20000:160000
range=--gain-range=-20:+20dB:20
metric="--labels digits --metric ctc-error --alphabet 0123456789"
"$TARE" calibrate "$model" "$calib" --rate 8000 --limit 1 --profile $profile $range -q \
  -o levels.stats | grep '^gain range'
"$TARE" calibrate "$model" "$calib" --rate 8000 --limit 1 --profile $profile $range --threads 1 -q \
  -o again.stats >text && cmp levels.stats again.stats
"$TARE" inspect levels.stats | grep -E '^(gain range|profile)'
"$TARE" table levels.stats -o levels.json | grep '^gain range'
"$TARE" inspect levels.stats levels.json --json | "$JSON_CHECK" 0.gain_range == '-20:+20:20dB' \
  1.gain_range == '-20:+20:20dB' 0.profiles.0.samples == 1 || exit
"$TARE" table levels.stats -o levels.cache 2>&1 >text | sed 's/.*place for/place for/'
echo "# the plan holds at each level"
"$TARE" build "$model" --calib levels.json -o levels.plan -q >text || exit
"$TARE" calibrate "$trained/digits-conv.onnx" "$trained/calib" --rate 8000 --limit 1 --profile $profile $range -q \
  -o trained.json >text || exit
"$TARE" build "$trained/digits-conv.onnx" --calib trained.json -o trained.plan -q >text || exit
"$TARE" run trained.plan "$trained/eval" --against "$trained/digits-conv.onnx" --rate 8000 --limit 2 $range $metric --json -q |
  "$JSON_CHECK" samples == 2 levels length 3 levels.0.gain_db == -20 levels.1.gain_db == 0 \
    levels.2.gain_db == 20 levels.0.sqnr_db '>' 30 levels.2.sqnr_db '>' 30 \
    levels.2.samples == 2 levels.2.metric.value '<' 0.1 to_reference.samples == 2 || exit
masked() { # figures
  sed -e 's/[0-9][0-9]*\.[0-9][0-9]*/N/g' -e 's/  */ /g'
}
"$TARE" run levels.plan "$eval" --against "$model" --rate 8000 --limit 2 $range $metric -q |
  sed -n '/^gain/,$p' | masked
"$TARE" run levels.plan "$eval" --rate 8000 --limit 2 $range --save-outputs out.h5 -q >text || exit
echo "# compare, quantize, tune and debug"
"$TARE" compare "$model" "$calib" --eval "$eval" --rate 8000 --limit 1 --profile $profile $range \
  $metric --fits native --methods minmax,mse -q | sed -n '/gain/,$p' | masked
"$TARE" compare "$model" "$calib" --eval "$eval" --rate 8000 --limit 1 --profile $profile $range \
  --fits native --methods minmax -q --json | "$JSON_CHECK" fp32.levels length 3 \
  strategies.0.levels.2.sqnr_db '>' 30 calibrations.0.samples == 1 || exit
"$TARE" quantize "$model" "$calib" --eval "$eval" --rate 8000 --limit 1 --profile $profile $range \
  --method minmax -o levels.onnx -q --json | "$JSON_CHECK" evaluation.levels length 3 || exit
"$TARE" debug compare levels.plan "$eval" --against "$model" --rate 8000 --limit 1 $range -q --json |
  "$JSON_CHECK" match is true tensors.0.levels length 3 tensors.5.levels.0.gain_db == -20 \
    tensors.5.levels.0.sqnr_db '>' 20 || exit
"$TARE" debug compare levels.plan "$eval" --against "$model" --rate 8000 --limit 1 $range -q |
  sed -n '/by gain/{n;p;}' | masked
echo "# misuse"
for range in 20:-20dB loud 6:20 -20:20:0.1 ''; do
  "$TARE" calibrate "$model" "$calib" --rate 8000 --gain-range "$range" -o x.stats -q
  echo "exit $?"
done
"$TARE" calibrate "$model" "$calib" --waveform audio -o x.stats -q 2>&1 | head -1
mini=$EXAMPLES/intents-mini
"$TARE" calibrate "$mini/intents-mini.onnx" "$mini/calib.h5" --gain-range +12dB -o x.stats -q \
  2>&1 | sed 's/.*calib\.h5/calib.h5/'
"$TARE" calibrate "$mini/intents-mini.onnx" "$mini/calib.h5" --gain-range +12dB \
  --waveform input_ids -o x.stats -q
[ ! -e x.stats ]
