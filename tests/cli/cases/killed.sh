# A command that is killed leaves nothing behind; one that may write no more says so.
model=$EXAMPLES/intents-mini/intents-mini.onnx
data=$EXAMPLES/intents-mini/eval.h5
"$TARE" build "$model" --fp32 --profile sequence=2:64:1024 -o model.plan -q >text || exit
set --
while [ $# -lt 100 ]; do set -- "$@" "$data" "$data" "$data" "$data" "$data"; done
"$TARE" run model.plan "$@" --threads 1 --save-outputs outputs.h5 -q &
waits=0
until ls -l /proc/$!/fd 2>/dev/null | grep -q -e outputs.h5 -e deleted; do # it has begun to write
  waits=$((waits + 1))
  [ $waits -lt 1000 ] || exit
  sleep 0.02
done
kill -TERM $!
wait $!
echo "exit $?"
ls
# A file that becomes shorter while it is mapped ends the command with a sentence.
"$TARE" build "$EXAMPLES/digits-conv/digits-conv.onnx" --fp32 --profile samples=1000:2000:300000 \
  -o cut.plan -q >text || exit
"$TARE" bench cut.plan --duration 60 --json >text 2>message &
waits=0
until grep -q cut.plan "/proc/$!/maps" 2>/dev/null && [ $waits -gt 2 ]; do # it is in use
  waits=$((waits + 1))
  [ $waits -lt 1000 ] || exit
  sleep 0.1
done
: >cut.plan
wait $!
echo "exit $?: $(cat message)"
rm cut.plan message
(
  ulimit -f 1
  "$TARE" build "$model" --fp32 --profile sequence=2:64:1024 -o large.plan 2>&1
  echo "exit $?"
)
ls
