# A model with a state: found by name, declared, in chunks, and what is wrong with that.
model=$SOURCE/tests/fixtures/onnx/good_stream.onnx
data=$EXAMPLES/digits-conv/eval
"$TARE" run "$model" "$data" --limit 2 --save-outputs whole.h5 >/dev/null || exit
"$TARE" run "$model" "$data" --limit 2 --chunk samples=500 --save-outputs chunks.h5 >text || exit
grep samples text
"$TARE" run "$model" "$data" --limit 2 --state stateN:state --chunk audio=500 --hop 250 >text || exit
grep samples text
# The last chunk's sum is that of the whole recording.
last() {
  group=$(h5ls "$1" | tail -n 1 | cut -d ' ' -f 1)
  h5dump -d "$group/y" "$1" | sed -n 's/.*(0,0): *//p' | cut -c 1-4
}
[ "$(last whole.h5)" = "$(last chunks.h5)" ] && echo "$(h5ls chunks.h5 | wc -l) chunks, the same sum"
"$TARE" run "$model" "$data" --limit 3 --chunk samples=400 --against "$model" --json 2>/dev/null |
  grep -c '"equal":[[:space:]]*true'
"$TARE" calibrate "$model" "$data" --chunk samples=400 -o stream.stats --json 2>/dev/null |
  "$JSON_CHECK" samples '>' 3 tensors '>=' 3 || exit
"$TARE" compare "$model" "$data" --eval "$data" --limit 3 --chunk samples=400 --methods minmax \
  --fits native >/dev/null 2>&1
echo "exit $?"
"$TARE" bench "$model" --chunk samples=512 --iterations 2 --duration 0 --profile samples=512 --json |
  "$JSON_CHECK" shape == batch=1,samples=512 || exit
"$TARE" run "$model" "$data" --state none
echo "exit $?"
"$TARE" run "$model" "$data" --state y:audio
echo "exit $?"
"$TARE" run "$model" "$data" --hop 3
echo "exit $?"
"$TARE" run "$model" "$data" --chunk samples=4 --hop 5
echo "exit $?"
"$TARE" run "$model" "$data" --set audio=1
echo "exit $?"
"$TARE" run "$model" "$data" --set nothing=1
echo "exit $?"
"$TARE" run "$model" "$data" --chunk samples=400 --metric accuracy --labels digits
echo "exit $?"
