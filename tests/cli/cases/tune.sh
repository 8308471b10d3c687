# The fastest mix of precisions within a bound: it holds, build makes the same plan, the worst layer is cured.
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

tune --sqnr 27 -o a.plan --table a.json --json >text || exit
"$JSON_CHECK" command == tune method == minmax min_sqnr_db == 27 chosen.holds is true complete is true \
  chosen.sqnr_db '>' 26.999 default.samples == 2 layers length 22 output == a.plan table == a.json <text || exit
holds a.plan 26.999 || exit
same a.plan a.json text

# What the user asks for by name stays.
tune --sqnr 20 --time-limit 1 --layer-precisions '/head/*:fp32' -o b.plan --table b.json --json >text || exit
same b.plan b.json text
"$TARE" inspect b.plan --json | grep -A 12 '"name":	"/head/MatMul' | sed -n 's/.*\("precision":.*\),/\1/p'

# A share on integers, whatever is faster.
tune --sqnr 20 --min-int8 95% --time-limit 1 -o i.plan --json -q >text || exit
"$JSON_CHECK" min_integer_share == 0.95 integer_share '>' 0.94999 chosen.holds is true <text || exit
refused_share() {
  tune --sqnr "$1" --min-int8 "$2" --time-limit 0.001 -o never.plan -q
  echo "exit $?"
}
refused_share 150 50%
refused_share 20 101%

# A bound that only float holds, and a search without time: there is a plan all the same.
tune --sqnr 150 -o c.plan --time-limit 0.001 -q | sed -n 's/^\(layers .*\)/\1/p; s/^\(bounds .*\)/\1/p; s/.*\(the search was ended early\)/\1/p'
"$TARE" run c.plan "$calib" --limit 2 --against "$model" --json | "$JSON_CHECK" equal is true || exit

# A metric as bound, on other data.
tune --max-drop 1% --time-limit 1 --eval "$EXAMPLES/intents-mini/eval.h5" --labels labels --metric accuracy -o d.plan --json -q >text || exit
"$JSON_CHECK" min_sqnr_db is null max_drop == 0.01 chosen.holds is true chosen.drop.high '<' 0.0100001 <text || exit

refused() {
  "$TARE" tune "$@"
  echo "exit $?"
}
refused "$model" "$calib"
refused "$model" "$calib" -o never.plan --max-drop 1%
refused "$model" "$calib" -o never.plan --max-drop much --eval x.h5 --metric accuracy --labels labels
refused "$model" "$calib" -o never.onnx
refused "$SOURCE/tests/fixtures/onnx/good_quantized.onnx" "$calib" -o never.plan
ls never.* 2>/dev/null || true
