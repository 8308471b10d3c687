# What statistics rest on: the samples that set ranges, whether they were enough, and warnings.
EXAMPLES=$SMALL
model=$EXAMPLES/digits-conv/digits-conv.onnx data=$EXAMPLES/digits-conv/calib
run() { # FILE DATA OPTION...
  file=$1 from=$2
  shift 2
  "$TARE" calibrate "$model" "$from" --rate 8000 --profile samples=400:4000:5000 \
    --profile samples=5001:6000:16000 -q -o "$file" "$@"
}
run a.stats "$data" | sed -n '/^enough/,$p'
echo "== the order of samples makes no difference"
ls "$data"/0* >forth.lst
sort -r forth.lst >back.lst
run forth.stats forth.lst >printed && cmp a.stats forth.stats
run back.stats back.lst --threads 1 >printed && cmp a.stats back.stats && echo same
echo "== all that inspect shows"
COLUMNS=200 "$TARE" inspect a.stats >text || exit
sed -n '/^tensor /,/^audio/p' text | grep '^tensor\|^audio' | sed 's/  */ /g'
sed -n '/^part/,$p' text
echo "== names of samples"
COLUMNS=250 "$TARE" inspect a.stats --model "$model" --find-samples back.lst --rate 8000 >text || exit
sed -n '/^audio/s/  */ /gp' text
"$TARE" inspect a.stats --model "$model" --find-samples "$data" --rate 8000 --json >json
"$JSON_CHECK" tensors.0.profiles.0.max_sample is text tensors.0.profiles.0.max_name is text \
  convergence.enough '>' -1 convergence.parts.0.near '>' -1 warnings.0.kind is text <json || exit
"$TARE" inspect a.stats --model "$model" --find-samples "$data" --rate 16000 >text
"$TARE" inspect a.stats --find-samples "$data"
echo "exit $?"
"$TARE" inspect "$model" --model "$model" --find-samples "$data" >text
echo "== few samples"
run few.stats "$data" --limit 5 | sed -n '/^warnings/,$p'
"$TARE" inspect few.stats | sed -n '/^warnings/,$p'
