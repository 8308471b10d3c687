# Rows behind a Gelu count from its least value where only linear layers read them: near to float, with
# the same bits on every instruction set and from a file, and shown.
model=$EXAMPLES/intents-mini/intents-mini.onnx data=$EXAMPLES/intents-mini
profile="--profile sequence=2:64:512"
"$TARE" calibrate -q "$model" "$data/calib.h5" $profile -o x.json >text || exit
"$TARE" build -q "$model" --fp32 $profile -o float.plan >text || exit
sqnr() {
  "$TARE" run x.plan "$data/eval.h5" --against float.plan --json | tr -d ' \t\n' |
    grep -o '"sqnr_db":[0-9.]*' | head -1 | awk -F: -v least="$1" '{ print($2 >= least ? "near" : "far: " $2) }'
}
bounds() { # of rows that layers write and read
  "$TARE" inspect x.plan --json | tr -d ' \t\n' | grep -o '"lower_bound":[-0-9.]*' | sort | uniq -c | sed 's/^ *//'
}
"$TARE" build -q "$model" --calib x.json -o x.plan >text && bounds && sqnr 29.5
"$TARE" inspect x.plan --layers '/layers.0/f2/*' | grep __rows
for isa in scalar avx2; do
  "$TARE" build -q "$model" --calib x.json --isa $isa -o $isa.plan >text || exit
  "$TARE" run -q $isa.plan "$data/eval.h5" --limit 2 --against x.plan --json | "$JSON_CHECK" max_abs_error == 0 || exit
done
"$TARE" build -q "$model" --calib x.json --layer-output-types '*f1/*:fp32' -o x.plan >text && bounds && sqnr 28
