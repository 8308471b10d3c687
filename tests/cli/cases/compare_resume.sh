# A comparison that goes on where it was ended.
EXAMPLES=$SMALL
model=$EXAMPLES/intents-mini/intents-mini.onnx
calib=$EXAMPLES/intents-mini/calib.h5
eval=$EXAMPLES/intents-mini/eval.h5
# What does not depend on times.
figures() {
  grep -e '"value"' -e '"metric"' -e 'sqnr_db' -e '"rank"' -e '"low"' -e '"high"' -e '"cosine"' -e '"method"' -e '"sentence"' "$1"
}
compare() {
  "$TARE" compare "$model" "$calib" --eval "$eval" --limit 12 --labels labels --metric accuracy "$@"
}
compare --fits native,opt --methods minmax,mse --report whole.json >/dev/null 2>&1 || exit
figures whole.json >whole.figures
echo "# rows that were evaluated before, and others"
compare --fits native --methods minmax --work kept -q >part || exit
ls kept
compare --fits native,opt --methods minmax,mse --work kept --resume -o best.plan -o best.json --report all.json >text 2>said || exit
grep 'kept has' said
figures all.json | cmp - whole.figures || exit
"$TARE" inspect best.plan best.json --json | "$JSON_CHECK" 0.kind == plan || exit
"$TARE" inspect kept/native-minmax.result --json | "$JSON_CHECK" kind == result samples == 12 metric.name == accuracy || exit
"$TARE" inspect kept/float.result | grep -e samples -e fp32 -e float
echo "# all of them: nothing is calibrated or evaluated again"
ls -l --time-style=full-iso kept >before
compare --fits native,opt --methods minmax,mse --work kept --resume --worst 2 >text 2>said || exit
grep 'kept has' said
grep -c 'eval.h5\[' text
ls -l --time-style=full-iso kept | cmp - before || exit

# The command counts its calls, and sends tare a signal at one of them.
cat >count.sh <<'END'
calls=$(($(cat calls) + 1))
echo $calls >calls
test $calls = "$(cat at)" && kill -$(cat signal) $PPID
h5dump -d "/00/$TARE_OUTPUT" "$TARE_OUTPUTS" | grep '(0' | tr -dc 0-9 | cut -c 1-9
END
scored() {
  "$TARE" compare "$model" "$calib" --eval "$eval" --limit 12 --metric score --metric-command '. ./count.sh' --fits native,opt \
    --methods minmax,mse --work "$@"
}
echo 0 >calls; echo 0 >at
scored scored --json -q >whole || exit
figures whole >whole.figures
echo "# killed again and again"
for at in 2 4 6 7; do
  echo $at >at; echo 0 >calls; echo KILL >signal
  scored killed --resume --json -q >/dev/null 2>&1
  echo "exit $?: $(ls killed | grep -c result) results"
done
scored killed --resume --json -q >killed.json || exit
figures killed.json | cmp - whole.figures || exit
echo "# ended by a signal: what is there is shown, and nothing is written"
echo 2 >at; echo 0 >calls; echo TERM >signal
scored ended -o ended.plan --report ended.html >text 2>said
echo "exit $?"
sed -e 's/: tare compare .* --methods/: tare compare ... --methods/'
grep -e 'left out' text
ls ended.* 2>/dev/null
echo 2 >at; echo 0 >calls
scored again --json -q >json 2>/dev/null
echo "exit $?"
"$JSON_CHECK" interrupted.evaluated == 1 interrupted.left_out length 3 strategies length 1 <json || exit
scored ended --resume --json -q >ended.json || exit
figures ended.json | cmp - whole.figures || exit
echo "# a time budget, and what it left out"
compare --fits native,opt --methods minmax,mse --work short --time-budget 0.001 -q >text 2>said || exit
grep -c 'go on with: .* --work short --time-budget 0.001 -q --resume' said
compare --fits native,opt --methods minmax,mse --work short --resume --json -q >json || exit
compare --fits native,opt --methods minmax,mse --json -q | figures - >whole.figures
figures json | cmp - whole.figures || exit
echo "# other settings are named"
compare --methods minmax --work kept
echo "exit $?"
compare --methods minmax --work kept --resume --fit pad --weight-rounding nearest -q
echo "exit $?"
"$TARE" compare "$model" "$calib" --eval "$eval" --limit 11 --labels labels --metric accuracy --work kept --resume -q 2>said
echo "exit $?"
sed -e "s/'[0-9a-f]\{32\}'/HASH/g" said
echo "# a file of the user that changed, and files that are damaged"
compare --fits native --methods minmax --also best.plan --work kept --resume -q >text || exit
touch best.plan
compare --fits native --methods minmax --also best.plan --work kept --resume 2>&1 >text | grep best.plan
printf 'x' | dd of=kept/native-mse.result bs=1 seek=3000 conv=notrunc status=none
compare --fits native --methods mse --work kept --resume -q
echo "exit $?"
cp kept/native-minmax.result kept/native-mse.result
compare --fits native --methods mse --work kept --resume -q
echo "exit $?"
cp kept/opt.stats kept/native.stats
compare --fits native --methods minmax --work kept --resume -q
echo "exit $?"
for text in '' '{' '[]' '{"format": "tare.comparison", "version": 2}'; do
  echo "$text" >kept/comparison.json
  compare --fits native --methods minmax --work kept --resume -q
  echo "exit $?"
done
compare --work best.plan
echo "exit $?"
compare --work no/such/folder
echo "exit $?"
compare --resume
echo "exit $?"
