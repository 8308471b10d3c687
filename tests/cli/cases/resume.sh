# A calibration that is killed again and again, and continued: the same bytes.
EXAMPLES=$SMALL
check() { # NAME MODEL DATA OPTION...
  name=$1 model=$EXAMPLES/$2 data=$EXAMPLES/$3
  shift 3
  "$TARE" calibrate "$model" "$data" -q "$@" -o one.stats >printed || exit
  kills=0
  for threads in 1 2 1 2 1; do
    before=$(ls -i part.stats 2>printed)
    "$TARE" calibrate "$model" "$data" -q "$@" -o resumed.stats --threads $threads \
      --checkpoint part.stats --checkpoint-every 0 --resume >printed 2>&1 &
    while kill -0 $! 2>printed && [ "$(ls -i part.stats 2>printed)" = "$before" ]; do
      sleep 0.01
    done
    kill -KILL $! 2>printed && kills=$((kills + 1))
    wait $! 2>printed
    rm -f resumed.stats # of a process that was faster
  done
  "$TARE" calibrate "$model" "$data" -q "$@" -o resumed.stats --checkpoint part.stats --resume \
    >printed || exit
  cmp resumed.stats one.stats && echo "$name: the same after being killed"
  [ -e part.stats ] && echo "$name: the checkpoint was left behind"
  [ $kills -gt 0 ] || echo "$name: it was never killed"
}
check audio digits-conv/digits-conv.onnx digits-conv/calib --rate 8000 --gain-range -20:+20dB
check text intents-mini/intents-mini.onnx intents-mini/calib.h5 --smoothing on --shard 1/2
# A signal ends it with a checkpoint.
model=$EXAMPLES/digits-conv/digits-conv.onnx data=$EXAMPLES/digits-conv/calib
profile=samples=1600:16000:200000
"$TARE" calibrate "$model" "$data" -q --profile $profile --fit opt -o one.stats --json >one
"$TARE" calibrate "$model" "$data" -q --profile $profile --fit opt -o x.stats --checkpoint part.stats \
  --checkpoint-every 0 --threads 1 >printed 2>&1 &
while [ ! -e part.stats ] && kill -0 $! 2>printed; do
  sleep 0.01
done
kill -TERM $! 2>printed
wait $!
"$TARE" calibrate "$model" "$data" -q --profile $profile --fit opt -o x.stats --checkpoint part.stats --resume \
  --json >again && cmp x.stats one.stats && echo "the same after a signal"
for file in one again; do grep -e '"cut"' -e '"padded"' -e '"lost"' $file >$file.fitted; done
grep -c '"padded":.*[1-9]' one.fitted && cmp one.fitted again.fitted || exit
# Checkpoints of other runs and of other data.
"$TARE" calibrate "$model" "$data" -q --profile $profile --shard 0/1 -o part.stats >printed
"$TARE" calibrate "$model" "$data" -q --profile samples=1600:16000:200001 -o x.stats \
  --checkpoint part.stats --resume
echo "exit $?"
"$TARE" calibrate "$model" "$data" -q --profile $profile -o x.stats --limit 5 --checkpoint part.stats \
  --resume
echo "exit $?"
"$TARE" calibrate "$model" "$data" -q --profile $profile --fit opt -o x.stats --checkpoint one.stats --resume
echo "exit $?"
