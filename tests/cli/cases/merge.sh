# Statistics of parts of data: what merge says, and what it refuses.
EXAMPLES=$SMALL
model=$EXAMPLES/digits-conv/digits-conv.onnx
data=$EXAMPLES/digits-conv/calib
run() { # FILE OPTION...
  file=$1
  shift
  "$TARE" calibrate "$model" "$data" --rate 8000 --limit 6 --profile samples=1600:16000:200000 -q \
    -o "$file" "$@" >printed || exit
}
for i in 0 1 2; do run $i.stats --shard $i/3; done
"$TARE" merge 0.stats 1.stats 0.stats 2.stats -o undecided.stats
"$TARE" merge undecided.stats --model "$model" -o all.stats --json >all.json
"$JSON_CHECK" counted == 6 <all.json && "$JSON_CHECK" undecided is false <all.json &&
  "$JSON_CHECK" inputs length 1 <all.json || cat all.json
run one.stats
cmp all.stats one.stats
echo "== what is missing"
"$TARE" merge 0.stats 2.stats -o x.stats
echo "exit $?"
"$TARE" merge 2.stats -o part.stats --partial
"$TARE" table part.stats -o x.json
echo "exit $?"
"$TARE" table undecided.stats -o x.json
echo "exit $?"
echo "== what does not belong together"
run padded.stats --shard 1/3 --fit pad --pad-stats count
run halves.stats --shard 1/2
run near.stats --weight-rounding nearest
run few.stats --weight-rounding nearest --limit 4
run other.stats --weight-rounding nearest --skip-counted few.stats
for files in "0.stats padded.stats" "0.stats halves.stats" "0.stats one.stats" "few.stats near.stats"; do
  "$TARE" merge $files -o x.stats
  echo "exit $?"
done
[ -e x.stats ] && echo "something was written"
"$TARE" merge few.stats other.stats -q -o sum.stats >printed && cmp sum.stats near.stats
echo "== what differs"
"$TARE" diff all.stats one.stats
echo "exit $?"
"$TARE" diff 0.stats padded.stats | head -9
"$TARE" diff few.stats near.stats --json >diff.json
echo "exit $?"
"$JSON_CHECK" common == 4 <diff.json && "$JSON_CHECK" b.counted == 6 <diff.json &&
  "$JSON_CHECK" equal is false <diff.json && "$JSON_CHECK" settings length 0 <diff.json ||
  cat diff.json
echo "== launchers"
RANK=1 WORLD_SIZE=3 && export RANK WORLD_SIZE
place() { "$TARE" calibrate "$model" "$data" --rate 8000 --limit 6 -o x.stats \
  --profile samples=1600:16000:200000 --shard "$@" >printed; echo "exit $?"; }
place auto
cmp x.stats 1.stats
place auto/4
PMI_RANK=0 PMI_SIZE=3 place auto
SLURM_ARRAY_TASK_ID=6 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_STEP=2 \
  WORLD_SIZE=1 RANK=0 place auto
cmp x.stats 2.stats
JOB_COMPLETION_INDEX=1 place auto/3
unset RANK WORLD_SIZE
JOB_COMPLETION_INDEX=1 place auto
place auto
place 3/3
echo "== recordings of other shards are not opened"
mkdir mixed && cp "$data/0000.wav" mixed/a.wav && echo "no recording" >mixed/b.wav
for i in 0 1; do
  "$TARE" calibrate "$model" mixed --rate 8000 --profile samples=1600:16000:200000 --shard $i/2 \
    -o mixed$i.stats >printed
  echo "exit $?"
done
echo "== more shards than samples, duplicates in several of them"
mkdir same && cp "$data/0000.wav" same/a.wav && cp "$data/0000.wav" same/b.wav
same() { "$TARE" calibrate "$model" same --rate 8000 --profile samples=1600:16000:200000 -q "$@" \
  >printed; }
same -o one.stats
for i in 0 1 2; do same --shard $i/3 -o same$i.stats; done
"$TARE" merge same[0-2].stats --model "$model" -o all.stats && cmp all.stats one.stats
