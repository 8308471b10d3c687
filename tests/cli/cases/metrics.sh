# Metrics with and without labels, their options, and the samples that differ most.
model=$EXAMPLES/digits-conv/digits-conv.onnx
eval=$EXAMPLES/digits-conv/eval
"$TARE" calibrate "$model" "$EXAMPLES/digits-conv/calib" --rate 8000 --limit 4 -o digits.json >/dev/null 2>&1 || exit
"$TARE" build "$model" --calib digits.json --profile samples=1000:20000:160000 -o digits.plan >/dev/null 2>&1 || exit
run() {
  "$TARE" run digits.plan "$eval" --rate 8000 --limit 8 --against "$model" "$@"
}
for metric in agreement cosine recall mae pearson spearman si-sdr lsd; do
  run --metric $metric --json | "$JSON_CHECK" metric.name == $metric metric.value '>' 0 \
    to_reference.samples == 8 || exit
done
printf '{"<pad>": 0, "0": 1, "1": 2, "2": 3, "3": 4, "4": 5, "5": 6, "6": 7, "7": 8, "8": 9, "9": 10}' >vocab.json
run --metric ctc-error --labels digits --tokens vocab.json --unit word --worst 3 --json | "$JSON_CHECK" \
  metric.value '<' 0.5 worst length 3 worst.0.sqnr_db '>' 10 worst.0.equal is false worst.0.length '>' 1000 \
  worst.0.answer is text worst.0.reference_answer is text worst.0.metric '>' -1 || exit
run --metric agreement --worst 1 | sed -n '/^samples that/,$p' | sed -n 's/ .*//p' | head -2
run --worst 2 --json | "$JSON_CHECK" worst length 2 worst.0.metric is missing worst.0.answer is missing || exit

# What is misused is named.
refuse() {
  "$TARE" run digits.plan "$eval" --rate 8000 --limit 2 "$@" >/dev/null
  echo "exit $?"
}
refuse --metric agreement --labels digits
refuse --metric agreement
refuse --metric mae
refuse --worst 3
refuse --metric ctc-error --labels digits
refuse --metric ctc-error --labels digits --alphabet 0123456789 --unit line
refuse --metric ctc-error --labels digits --alphabet 0123456789 --blank 11
refuse --metric ctc-error --labels digits --tokens missing.txt
refuse --metric accuracy --labels digits --average macro
refuse --metric accuracy --labels digits --top 0
printf '0\n1\n' >short.txt
refuse --metric ctc-error --labels digits --tokens short.txt
refuse --metric ctc-error --labels digits --tokens short.txt --blank 2
