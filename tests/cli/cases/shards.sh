# Any division of the data into shards, any number of threads, and shards that were given twice: the
# same bytes as one calibration of all data.
EXAMPLES=$SMALL
check() { # NAME MODEL DATA OPTION...
  name=$1 model=$EXAMPLES/$2 data=$EXAMPLES/$3
  shift 3
  "$TARE" calibrate "$model" "$data" --limit 9 -q "$@" -o one.stats >printed || exit
  for n in 1 2 3 7; do
    i=0 threads=$((n % 2 + 1))
    while [ $i -lt $n ]; do
      "$TARE" calibrate "$model" "$data" --limit 9 -q "$@" --shard $i/$n --threads $threads -o $i.stats >printed || exit
      i=$((i + 1))
    done
    cp 0.stats again.stats
    for threads in 1 2; do
      "$TARE" merge [0-9].stats again.stats --model "$model" --threads $threads -q -o all.stats >printed || exit
      cmp all.stats one.stats && echo "$name: $n shards, merged by $threads threads: the same"
    done
    rm [0-9].stats
  done
}
check audio digits-conv/digits-conv.onnx digits-conv/calib --rate 8000
check text intents-mini/intents-mini.onnx intents-mini/calib.h5 --smoothing on --weight-clipping on \
  --bias-correction on --profile sequence=1:16:32 --profile sequence=33:64:256
