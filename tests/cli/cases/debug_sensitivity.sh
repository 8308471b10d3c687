# The layers of a model by what it costs to quantize each, and the requests that keep the worst in float.
model=$SMALL/intents-mini/intents-mini.onnx
data=$SMALL/intents-mini/eval.h5
profile=sequence=2:64:1024
"$TARE" calibrate "$model" "$SMALL/intents-mini/calib.h5" --profile $profile --limit 20 -o x.json -q \
  >/dev/null || exit
# without predicted losses, as an older table: all scales are static
sed -i 's/, "\(static_loss\|row_loss\)": \[[^]]*\]//g' x.json
# One tensor with too narrow a range: the layer that writes it, or reads it, costs most.
sed '/"\/layers.1\/Mul_1_output_0"/s/"amax": \[[^]]*\]/"amax": [0.05]/' x.json >narrow.json

rank() {
  "$TARE" debug sensitivity "$model" "$data" --profile $profile --limit 2 "$@"
}
# No layer is kept where all of them meet the target.
rank --calib x.json --target 10 --json | "$JSON_CHECK" command == 'debug sensitivity' samples == 2 \
  kept == 0 layer_precisions == '' quantized_sqnr_db '>' 10 layers length 22 || exit
for how in '' --all-but-one; do
  # shellcheck disable=SC2086 # no argument, if empty
  rank --calib narrow.json $how --json >"x$how"
  "$JSON_CHECK" kept '>' 0 kept_sqnr_db '>' 19.99 layers.0.kept is true layers.0.rank == 1 layers.21.rank == 1 keep == fp32 <"x$how" || exit
  grep -m 1 '"name"' "x$how" | cut -d '"' -f 4
done

# Two samples show no difference; eight do.
rank --calib narrow.json >text
sed -n 's/^ranks      //p' text
"$TARE" debug sensitivity "$model" "$data" --profile $profile --limit 8 --calib x.json --json >many
"$JSON_CHECK" layers.0.rank == 1 layers.21.rank '>' 15 layers.3.sqnr_low_db '>' 30 \
  layers.3.sqnr_high_db '<' 50 <many || exit

# The requests bring what is said.
requests=$(sed -n "s/^requests   --layer-precisions '\(.*\)'/\1/p" text)
"$TARE" build "$model" --calib narrow.json --profile $profile --layer-precisions "$requests" -q \
  -o kept.plan >/dev/null || exit
said=$(sed -n 's/^  *\([0-9.]*\) dB with the first.*/\1/p' text)
"$TARE" run kept.plan "$data" --limit 2 --against "$model" | sed -n "s/^SQNR  *$said dB/as said/p"

# By level: the target counts where the SQNR is lowest.
conv=$EXAMPLES/digits-conv
"$TARE" calibrate "$conv/digits-conv.onnx" "$conv/calib" --rate 8000 --limit 2 --method minmax -q \
  --profile samples=1600:32000:120000 -o conv.json >/dev/null || exit
by_level() {
  "$TARE" debug sensitivity "$conv/digits-conv.onnx" "$conv/eval" --calib conv.json --rate 8000 --limit 1 \
    --profile samples=1600:32000:120000 --gain-range -20:0:20dB --layer-precisions '*:fp32,/front/*:int8' \
    --target 20 "$@"
}
by_level --json >text || exit
"$JSON_CHECK" layers length 3 layers.0.levels length 2 layers.0.levels.0.gain_db == -20 kept '>' 0 \
  quantized_sqnr_db '<' 18 kept_sqnr_db '>' 19.999 <text || exit
by_level | sed -n 's/^rank .*95 %> *//p; s/^rank .*95 %  *//p; s/^SQNR .*quantized//p'

rank --calib narrow.json --layer-precisions '*:fp32'
echo "exit $?"
rank --calib missing.json
echo "exit $?"
