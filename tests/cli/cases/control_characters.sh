# Names of files and options may hold control characters, which a terminal would obey: messages have none, and are
# one line each.
newline='
'
escape=$(printf '\033')
name="one${newline}two$escape[31m$(printf '\177\302\233').onnx"
printf x >"$name"
for command in "inspect -q" "check -q" "run data.h5" "build --fp32 -o x.plan" "calibrate data.h5 -o x.stats" \
  "export --calib x.json -o y.onnx"; do
  # shellcheck disable=SC2086 # words
  "$TARE" ${command%% *} "$name" ${command#* } >/dev/null
  echo "$command: exit $?"
done
"$TARE" inspect "$name" --json 2>/dev/null | "$JSON_CHECK" error.message == \
  'one?two?[31m???.onnx: not an ONNX model, or truncated: malformed at byte 0' || exit
"$TARE" inspect "grün und weiß.onnx"
"$TARE" run "--colour=$escape[31m"
"$TARE" bench x.plan --iterations "$escape[31m"
"$TARE" "in${newline}spect"
# A terminal gets none, a file all.
cp "$SOURCE/tests/fixtures/onnx/check_good.onnx" "a$escape[31m.onnx"
script -qec "'$TARE' inspect 'a$escape[31m.onnx'" seen >/dev/null
sed -n 's/^model *//p' seen | tr -d '\r'
"$TARE" inspect "a$escape[31m.onnx" | grep -c "$escape"
# Warnings, and cells of tables.
model=$EXAMPLES/intents-mini/intents-mini.onnx
cp "$EXAMPLES/intents-mini/calib.h5" "calib$escape.h5"
"$TARE" calibrate "$model" "calib$escape.h5" --limit 2 --profile sequence=1:16:512 --rate 8000 -q -o x.stats >/dev/null || exit
"$TARE" inspect x.stats --find-samples "calib$escape.h5" --model "$model" >found || exit
grep -c "$escape" found
grep -c 'calib?.h5' found
