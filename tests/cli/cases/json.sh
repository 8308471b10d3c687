# Every command's JSON says which command and version it is, and so does a failure.
EXAMPLES=$SMALL
model=$EXAMPLES/digits-conv/digits-conv.onnx
data=$EXAMPLES/digits-conv/calib
check() {
  "$JSON_CHECK" json_version == 1 "$@" || echo "not so: $*"
}
"$TARE" calibrate "$model" "$data" --rate 8000 --limit 2 -o x.stats --json -q | check command == calibrate
"$TARE" table x.stats -o x.json --json -q | check command == table
"$TARE" build "$model" --calib x.json -o x.plan --json -q | check command == build
"$TARE" run x.plan "$data" --rate 8000 --limit 1 --outside nearest --json -q | check command == run
"$TARE" compare "$model" "$data" --eval "$data" --rate 8000 --limit 1 --methods minmax --fits native \
  --json -q | check command == compare
"$TARE" bench x.plan --iterations 1 --duration 0 --warmUp 0 --dumpProfile --json -q |
  check command == bench layers.0.time_ms '>' -1 layers.0.average_ms '>' -1
"$TARE" inspect x.plan --json | check command == inspect
"$TARE" doctor --json | check command == doctor tare_version is text
"$TARE" debug shrink --json 2>/dev/null | check command == debug error.exit_code == 2
for command in "calibrate gone.onnx x -o y.stats" "table gone.stats -o y.json" \
  "build gone.onnx --fp32 -o y.plan" "run gone.plan x" "compare gone.onnx x --eval x" \
  "bench gone.plan" "inspect gone.plan"; do
  # shellcheck disable=SC2086 # the words of the command
  "$TARE" $command --json 2>said | check command == ${command%% *} error.status == E_INPUT \
    error.exit_code == 3 error.message is text
  cat said
done
for command in calibrate table build run compare bench inspect doctor; do
  # shellcheck disable=SC2086
  "$TARE" $command --json --nonsense 2>said | check command == $command error.status == E_USAGE error.exit_code == 2 \
    error.message == "unrecognized option '--nonsense'"
  grep -c "^tare $command: unrecognized option" said
  "$TARE" $command --help --json 2>&1 | grep -c '^Usage: tare'
done
"$TARE" calibrate "$model" "$data" --js --method averag -o x.json 2>said | check command == calibrate \
  error.message == "unknown method 'averag', expected one of minmax, entropy, percentile, mse"
"$TARE" run --json -- --json 2>said | check error.message == 'missing argument: expected PLAN|MODEL DATA...'
"$TARE" run -- --json 2>said | wc -c
"$TARE" build "$model" --calib x.json --layer-precisions 'x:fp32' -o y.plan --json 2>said |
  check error.status == E_USAGE error.exit_code == 2
# A name that is no UTF-8, as its bytes allow.
odd=$(printf 'a\377b.onnx')
cp "$model" "$odd"
"$TARE" inspect --json "$odd" | check file == "$(printf 'a\357\277\275b.onnx')"
