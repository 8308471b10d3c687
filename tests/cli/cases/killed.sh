# A command that is killed leaves nothing behind; one that may write no more says so.
model=$EXAMPLES/intents-mini/intents-mini.onnx
data=$EXAMPLES/intents-mini/eval.h5
"$TARE" build "$model" --fp32 --profile sequence=2:64:1024 -o model.plan -q >text || exit
set --
while [ $# -lt 100 ]; do set -- "$@" "$data" "$data" "$data" "$data" "$data"; done
"$TARE" run model.plan "$@" --threads 1 --save-outputs outputs.h5 -q &
waits=0
until ls -l /proc/$!/fd | grep -q -e outputs.h5 -e deleted; do # it has begun to write
  waits=$((waits + 1))
  [ $waits -lt 1000 ] || exit
  sleep 0.02
done
kill -TERM $!
wait $!
echo "exit $?"
ls
(
  ulimit -f 1
  "$TARE" build "$model" --fp32 --profile sequence=2:64:1024 -o large.plan 2>&1
  echo "exit $?"
)
ls
