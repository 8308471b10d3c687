# An option that cannot have an effect is refused, or warned of.
model=$EXAMPLES/digits-conv/digits-conv.onnx
data=$EXAMPLES/digits-conv/eval
intents=$EXAMPLES/intents-mini
range="--profile samples=1000:20000:160000"
say() {
  echo "\$ $*"
  "$TARE" "$@" 2>&1 >text
  echo "exit $?"
}
for option in --symmetric "--small-layers int8" "--weight-rounding nearest" "--smoothing none"; do
  # shellcheck disable=SC2086
  say build "$model" --fp32 $range -o x.plan $option
done
say build "$model" --fp32 $range -o x.plan
say build "$model" --fp32 $range -o x.plan --force
say build "$model" --fp32 --profile auto -o x.plan
for option in "--set audio=1" "--profile auto" "--profile samples=1" "--isa scalar"; do
  # shellcheck disable=SC2086
  say run x.plan "$data" $option
done
say bench x.plan --set audio=1
say bench x.plan --profile auto
say bench "$model" --profile auto
run="run x.plan $data --rate 8000 --limit 1"
say $run --alphabet 0123456789
say $run --labels digits --metric accuracy --alphabet 0123456789
say $run --labels digits --metric ctc-error
say $run --output-index 1
say inspect x.plan --graph
say inspect x.plan --optimized
say inspect x.plan --model "$model"
say inspect x.plan "$model" --graph
say inspect "$intents/calib.h5" --model "$intents/intents-mini.onnx" --features whisper
say inspect "$intents/calib.h5" --model "$intents/intents-mini.onnx" --rate 8000
say inspect "$intents/calib.h5" --model "$intents/intents-mini.onnx" --rate 8000 -q
say inspect "$intents/calib.h5" --model "$intents/intents-mini.onnx" --channel 1 --rate 8000
say --json
say doctor --isa abacus
say inspect x.plan --rows
say inspect "$intents/calib.h5" --model "$intents/intents-mini.onnx" --rows
arrays="calibrate $intents/intents-mini.onnx $intents/calib.h5 --limit 3 -o x.stats"
say $arrays --rows
say $arrays --profile batch=1:1:4 --outside nearest
say $arrays --profile batch=1:1:4,sequence=1:64:1024 -q
say calibrate "$model" "$data" --rows -o x.stats
say calibrate "$model" "$data" --map audio=x -o x.stats
say calibrate "$model" "$data" --tokenizer "$SOURCE/tests/fixtures/tokenizers/words.json" -o x.stats
say diff x.stats x.stats --rate 8000
say calibrate "$model" "$data" -o x.stats --raise-layers auto
