# Where 8 bits cost the outputs too much, calibration finds by trial which layers need more: the table says so, and builds follow.
models=$SOURCE/tests/fixtures/raised model=$SOURCE/tests/fixtures/raised/deep.onnx
profile='--profile n=1,t=4:12:20'
judge() { # whether the SQNR of a plan on samples that were not calibrated is above a bound: PLAN BOUND
  "$TARE" run -q "$1" "$models/others" --against "$model" --json | "$JSON_CHECK" sqnr_db '>' "$2"
}
figures() { sed 's/[0-9.]* dB instead of [0-9.]*/N dB instead of N/; s/SQNR of [0-9.]* dB/SQNR of N dB/; s/([0-9.]* dB alone)/(N dB alone)/g'; }

"$TARE" calibrate "$model" "$models/calib" $profile -o x.json --json 2>err >text || exit
figures <err
"$JSON_CHECK" accuracy.sqnr_db '>=' 28 accuracy.standard_sqnr_db '<' 20 accuracy.raised == 3 accuracy.raised_share == 0.375 <text || exit
grep -o '"layer_precisions": "[^"]*"' x.json
echo "== the same without a word, with more threads, and by another plan"
"$TARE" calibrate -q "$model" "$models/calib" $profile --threads 2 -o q.json >text && cmp x.json q.json
"$TARE" build -q "$model" $profile --calib x.json -o x.plan | grep '^layers\|^raised'
"$TARE" inspect x.plan | grep -c 'as the table says'
judge x.plan 25
echo "== a search that is too long, and no time to name layers"
"$TARE" calibrate "$model" "$models/calib" $profile --time-limit 0.001 -o t.json 2>&1 >text | figures
"$TARE" calibrate "$model" "$models/calib" $profile --time-limit 0.001 --raise-layers off -o t.json 2>&1 >text | figures |
  sed 's/about [0-9]* s/about N s/; s/tune .* DATA/tune MODEL DATA/'
"$TARE" calibrate "$model" "$models/calib" $profile --time-limit never -o t.json 2>&1 | head -1
echo "== requests count more, and symmetric plans have none"
"$TARE" build -q "$model" $profile --calib x.json --layer-precisions 'layer0:int8' -o y.plan | grep '^layers\|^raised'
"$TARE" build -q "$model" $profile --calib x.json --symmetric -o y.plan | grep '^layers\|^raised'
"$TARE" inspect x.json | grep '^raised'
echo "== off: the table has a warning, which builds repeat"
"$TARE" calibrate "$model" "$models/calib" $profile --raise-layers off -o off.json 2>err >text || exit
figures <err | sed 's/tune .* DATA/tune MODEL DATA/'
grep -c layer_precisions off.json
"$TARE" build "$model" $profile --calib off.json -o y.plan 2>&1 >text | figures | sed 's/tune .* DATA/tune MODEL DATA/'
echo "== other formats have no place for it"
"$TARE" table x.json -o x.cache 2>&1 | grep -o 'precisions of layers'
"$TARE" calibrate "$model" "$models/calib" $profile -o y.cache 2>&1 | grep -c 'raised'
echo "== statistics do not have them"
"$TARE" calibrate "$model" "$models/calib" $profile -o x.stats 2>&1 >text | grep -o 'x.stats are.*'
"$TARE" table -q x.stats -o y.json >text && grep -c layer_precisions y.json
echo "== malformed"
sed 's/layer0:fp32/layer0:int5/' x.json >bad.json
"$TARE" build "$model" $profile --calib bad.json -o z.plan 2>&1
echo "exit $?"
sed 's/"layer_precisions": "[^"]*"/"layer_precisions": 5/' x.json >bad.json
"$TARE" build "$model" $profile --calib bad.json -o z.plan 2>&1
echo "exit $?"
