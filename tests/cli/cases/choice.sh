# Choices and weights of samples: the same bytes for shards, threads and a calibration that is killed;
# and what two of them change.
EXAMPLES=$SMALL
model=$EXAMPLES/intents-mini/intents-mini.onnx data=$EXAMPLES/intents-mini/calib.h5
profiles="--profile sequence=1:16:32 --profile sequence=33:64:256"
run() { # FILE OPTION...
  file=$1
  shift
  "$TARE" calibrate "$model" "$data" $profiles -q -o "$file" "$@"
}
check() { # NAME SHARDS OPTION...
  name=$1 divisions=$2
  shift 2
  run one.stats "$@" >printed || exit
  sed -n '/^profile/,/^written/p' printed
  for n in $divisions; do
    i=0
    while [ $i -lt $n ]; do
      run $i.stats "$@" --shard $i/$n --threads $((n % 2 + 1)) >printed || exit
      i=$((i + 1))
    done
    "$TARE" merge [0-9].stats --model "$model" -q -o all.stats >printed || exit
    cmp all.stats one.stats && echo "$name: $n shards: the same"
    rm [0-9].stats
  done
  "$TARE" calibrate "$model" "$data" $profiles -q -o part.stats "$@" --checkpoint check.stats \
    --checkpoint-every 0 --threads 1 >printed 2>&1 &
  while [ ! -e check.stats ] && kill -0 $! 2>printed; do
    sleep 0.01
  done
  kill -KILL $! 2>printed
  wait $! 2>printed
  run part.stats "$@" --checkpoint check.stats --resume --threads 2 >printed 2>&1 || exit
  cmp part.stats one.stats && echo "$name: the same after being killed"
}
check random "1 7" --samples 10 --seed 3
check quota 3 --quota 4
check lengths 3 --samples 9 --stratify length
check weight 3 --weight sample --quota 5 --samples 8
check seconds 2 --weight length --samples 7
echo "== another seed chooses others"
run a.stats --samples 10 --seed 3 >printed
run b.stats --samples 10 --seed 4 >printed
"$TARE" diff a.stats b.stats >text
echo "exit $?"
sed -n '1,/^different/p' text | grep -v '^samples'
run c.stats --samples 10 --seed 3 >printed && cmp a.stats c.stats && echo "the same seed: the same"
echo "== what weights move"
run e.stats >printed
run w.stats --weight sample >printed
"$TARE" diff e.stats w.stats | sed -n '/^setting/,/^different/p; /^thresholds/,$p' |
  sed -e '/^entropy\|^percentile\|^mse/s/ [0-9].*/ .../'
"$TARE" diff e.stats w.stats --json | "$JSON_CHECK" thresholds length 4 thresholds.0.median == 1
echo "== parts of different choices"
run 0.stats --samples 20 --seed 3 --shard 0/2 >printed
run 1.stats --samples 20 --weight sample --shard 1/2 >printed
"$TARE" merge 0.stats 1.stats -q -o x.stats
echo "exit $?"
echo "== misuse"
for options in "--stratify length" "--seed 3" "--samples 0" "--weight long" "--stratify width" "--quota -1"; do
  run x.stats $options >printed
  echo "exit $?"
done
"$TARE" calibrate "$EXAMPLES/digits-conv/digits-conv.onnx" "$EXAMPLES/digits-conv/calib" --rate 8000 \
  --chunk samples=2000 --quota 3 -q -o x.stats
echo "exit $?"
[ ! -e x.stats ] || echo "something was written"
echo "== levels and chunks of samples have weights too"
audio="$EXAMPLES/digits-conv/digits-conv.onnx $EXAMPLES/digits-conv/calib --rate 8000 --limit 9 -q"
for options in "--gain-range -6:+6dB:6 --weight sample" "--chunk samples=2000 --weight sample" \
  "--chunk samples=2000 --weight length"; do
  "$TARE" calibrate $audio $options --samples 6 --threads 1 -o one.stats >printed || exit
  "$TARE" calibrate $audio $options --samples 6 --threads 2 -o two.stats >printed || exit
  cmp one.stats two.stats && echo "$options: the same for 1 and 2 threads"
  "$TARE" inspect one.stats --json |
    "$JSON_CHECK" tensors.0.profiles.0.count '>' 0 profiles.0.samples == 6 || exit
done
