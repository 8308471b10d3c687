# What ranks first is shown as calibration and build make it: with the layers that trials raise.
models=$SOURCE/tests/fixtures/raised model=$SOURCE/tests/fixtures/raised/deep.onnx
compare() {
  "$TARE" compare "$model" "$models/calib" --eval "$models/others" --profile n=1,t=4:12:20 --fits native "$@"
}
masked() { # figures; what is asked here is which rows there are, and in which order
  sed -e 's/[+-]*[0-9][0-9]*\.[0-9][0-9]*/N/g' -e 's/ [kMG]B/ B/g' -e 's/  */ /g' -e 's/ $//'
}

compare --methods minmax,percentile -o best.calib.json -o best.plan >text 2>err || exit
masked <err
masked <text | sed -n -e '/ fit method/,/^native/p' -e '/^verdict/p' -e '/^written/p'
echo "== the table and the plan are those of the commands"
sed -n 's/^  tare \(.*\)/"$TARE" \1/p' text >commands
cp best.calib.json first.calib.json && cp best.plan first.plan && sh commands >text 2>&1 &&
  cmp first.calib.json best.calib.json && cmp first.plan best.plan || exit
"$TARE" run -q best.plan "$models/others" --against "$model" --json >run.json || exit
echo "== for programs, and as a requirement"
compare --methods minmax,percentile --json -q --require 'sqnr>=25' >json || exit
"$JSON_CHECK" strategies length 3 strategies.2.method == "minmax, raised" strategies.2.rank == 1 strategies.2.raised == 3 \
  strategies.2.raised_share == 0.375 strategies.2.sqnr_db '>' 25 strategies.2.sqnr_interval.low '>' 20 \
  strategies.0.rank == 2 strategies.0.raised is missing strategies.0.sqnr_db '<' 20 requirements.0.fulfilled is true \
  pairs length 1 <json || exit
compare --methods minmax -q --precisions int8 --require 'sqnr>=25' >text 2>said
echo "exit $?"
grep -c ', raised' text
echo "== off"
compare --methods minmax --raise-layers off -q >text || exit
grep -c 'minmax, raised' text
grep -o -e '--raise-layers off -o' text
echo "== where there is no time"
compare --methods minmax --time-budget 0.001s 2>&1 >text | grep -o 'no layers are raised: the time budget.*'
grep -o -e '--raise-layers off' text
grep -c 'minmax, raised' text
echo "== what was kept is shown the same"
compare --methods minmax --work kept -q --json >first.json && compare --methods minmax --work kept --resume -q --json >again.json || exit
for file in first.json again.json; do
  "$JSON_CHECK" strategies length 2 strategies.1.rank == 1 strategies.1.raised == 3 <$file || exit
done
ls kept
"$TARE" compare --raise-layers maybe x 2>&1 | head -1
