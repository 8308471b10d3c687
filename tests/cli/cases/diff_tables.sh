# Two calibration tables, also of two formats: exit 1 if they differ, as text and as JSON.
printf '%s\n' TRT-101602-EntropyCalibration2 'a: 3c000000' 'b: 3d000000' 'c: 3e000000' >a.cache
printf '%s\n' TRT-8601-MinMaxCalibration 'a: 3c000000' 'b: 3d800000' 'c: 3d000000' 'new: 3f000000' >b.cache
"$TARE" diff a.cache a.cache
echo "exit $?"
"$TARE" diff a.cache b.cache
echo "exit $?"
"$TARE" diff a.cache b.cache --json | "$JSON_CHECK" kind == table equal is false compared == 3 \
  settings length 1 settings.0.what == method settings.0.a == EntropyCalibration2 a.only length 0 \
  b.only.0 == new b.tensors == 4 tensors length 2 tensors.0.name == c tensors.0.ratio == 0.25 \
  tensors.1.name == b tensors.1.ratio == 2 || exit
"$TARE" table a.cache -o a.json >printed || exit
"$TARE" diff a.json a.cache
echo "exit $?"

# Tables of this engine say more.
model=$EXAMPLES/intents-mini/intents-mini.onnx
calib=$EXAMPLES/intents-mini/calib.h5
"$TARE" calibrate "$model" "$calib" --limit 4 --profile sequence=2:64:1024 -o s.stats -q >printed || exit
"$TARE" table s.stats --method minmax -o minmax.json -q >printed || exit
"$TARE" table s.stats --method percentile --percentile 90 -o percentile.json -q >printed || exit
"$TARE" table s.stats --method minmax -o minmax.cache -q >printed || exit
"$TARE" diff minmax.json percentile.json | sed -n '1,/^different/p'
"$TARE" diff minmax.json minmax.cache | sed -n '/^method/p; /^different/p'

"$TARE" diff a.cache s.stats
echo "exit $?"
"$TARE" diff s.stats a.cache
echo "exit $?"
"$TARE" diff a.cache missing.cache
echo "exit $?"
"$TARE" diff a.cache b.cache --times
echo "exit $?"
"$TARE" diff a.cache
echo "exit $?"
