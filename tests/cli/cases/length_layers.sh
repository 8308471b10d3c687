# Where values decide the length of an output, and 8 bits give other lengths, the layers before are kept in float.
folder=$SOURCE/tests/fixtures/durations model=$SOURCE/tests/fixtures/durations/speech.onnx
data="$folder/calib --profile t=6:12:20"
# shellcheck disable=SC2086 # two arguments and more
calibrate() {
  "$TARE" calibrate "$model" $data -o x.json "$@" >text || exit
  grep raised text
  "$TARE" build "$model" --calib x.json --isa any -o x.plan -q >text || exit
  "$TARE" run x.plan "$folder/others" --against "$model" --json -q >ran || exit
}
echo "== as they are"
calibrate --raise-layers off --time-limit 600 2>/dev/null
"$JSON_CHECK" sqnr_db '<' 20 other_shapes '>=' 1 <ran
echo "== by default"
calibrate
"$JSON_CHECK" sqnr_db '>' 35 other_shapes == 0 <ran
"$TARE" inspect x.plan --json | "$JSON_CHECK" layers.0.name == "encoder + encoded" layers.0.decides_length is true \
  layers.0.precision == fp32 layers.1.decides_length is true layers.1.precision == fp32 \
  layers.14.name == "decoder + decoded" layers.14.decides_length is false layers.14.precision == int8
echo "== tune"
# shellcheck disable=SC2086
tune() {
  "$TARE" tune "$model" $data --sqnr 30 --isa any -o x.plan "$@" 2>/dev/null
}
tune --json | "$JSON_CHECK" default.other_shapes '>=' 1 chosen.other_shapes == 0 chosen.holds is true length_layers == 2
tune | grep lengths
echo "== quantize"
# shellcheck disable=SC2086
"$TARE" quantize "$model" $data --method minmax -o x.onnx 2>said >text || exit
head -1 said
"$TARE" run x.onnx "$folder/others" --against "$model" --json -q | "$JSON_CHECK" sqnr_db '>' 35 other_shapes == 0
