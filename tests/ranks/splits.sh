#!/bin/sh
# shellcheck disable=SC2086 # lists are meant to be split
# splits.sh TARE WRITE_TOKENS SOURCE: one and the same file for any number of threads, shards, ranks and interruptions, from
# each kind of data that holds many samples.
set -u
tare=$1 write_tokens=$2 source=$3
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 99
. "$source/tests/ranks/openmpi.sh"
digits=$source/tests/fixtures/small/digits-conv intents=$source/tests/fixtures/small/intents-mini
words=$source/tests/fixtures/tokenizers
bad=0
wrong() { # WHAT: with what the command has said
  echo "$what: $1: $(cat printed)"
  bad=1
}
calibrate() { # FILE OPTION...: with the model, data and options of this kind
  file=$1
  shift
  "$tare" calibrate $kind -q -o "$file" "$@" >printed 2>&1 || wrong "exit $? of $*"
}
same() { # FILE WHAT
  cmp "$1" one.stats >printed 2>&1 || wrong "other bytes by $2"
  rm -f "$1"
}
merge() { # SHARD...: given in this order
  "$tare" merge "$@" --model ${kind%% *} -q -o all.stats >printed 2>&1 || wrong "exit $? of merge"
  same all.stats "$# parts"
}

shards() { # N
  parts=
  for i in $(seq 0 $(($1 - 1))); do
    calibrate "$i.stats" --shard "$i/$1" --threads $((i % 2 + 1))
    parts="$i.stats $parts"
  done
  merge $parts
  merge 0.stats $parts # one that is given twice
}

ranks() { # N
  [ -e "$(dirname "$tare")/tare_mpi.so" ] && command -v mpirun >printed || return 0
  run_ranks -n "$1" "$tare" calibrate $kind --threads 1 -q -o ranks.stats \
    >printed 2>&1 || wrong "exit $? of $1 ranks"
  same ranks.stats "$1 ranks"
}

killed() { # is killed once it has written a checkpoint, and goes on
  "$tare" calibrate $kind --threads 2 -q -o resumed.stats --checkpoint check.stats --checkpoint-every 0 \
    >printed 2>&1 &
  while [ ! -e check.stats ] && kill -0 $! 2>printed; do
    sleep 0.01
  done
  kill -KILL $! 2>printed
  wait $! 2>printed
  [ -e resumed.stats ] || calibrate resumed.stats --checkpoint check.stats --resume --threads 1
  same resumed.stats resuming
  rm -f check.stats
}

check() { # WHAT MODEL DATA OPTION...
  what=$1
  shift
  kind=$*
  calibrate one.stats --threads 1
  calibrate two.stats --threads 2
  same two.stats "2 threads"
  shards 3
  ranks 2
  killed
}

array() { # SAMPLES FILE: the first ones of a recording with 16 bits, for NumPy
  printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '<i2', 'fortran_order': False, 'shape': ($1,), }"
  tail -c +45 "$2" | head -c $(($1 * 2))
}

mkdir kaldi arrays
for file in "$digits"/calib/0*.wav; do
  name=$(basename "$file" .wav)
  ln -s "$file" .
  echo "{\"audio_filepath\": \"$name.wav\", \"offset\": 0, \"duration\": 0.4}" >>parts.jsonl
  echo "{\"audio_filepath\": \"$name.wav\", \"offset\": 0.2, \"duration\": 0.3}" >>parts.jsonl
  echo "$name $file" >>kaldi/wav.scp
  for n in 2000 2500 3000; do
    array $n "$file" >"arrays/$name-$n.npy"
  done
  echo "$name-a $name 0 0.35" >>kaldi/segments
  echo "$name-b $name 0.1 -1" >>kaldi/segments
done
tar -c -h -f shard.tar -- *.wav
lengths="--profile samples=400:16000:400000"
audio="--rate 8000 $lengths"
text="--profile sequence=1:16:32 --profile sequence=33:64:4096"
"$write_tokens" ragged.h5 ragged <"$words/bytes.ids" || exit 99
grep . "$source/README.md" | head -n 40 >lines.txt
check HDF5 "$intents/intents-mini.onnx" "$intents/calib.h5" --limit 15 $text
check ragged "$intents/intents-mini.onnx" ragged.h5 --limit 20 $text
check text "$intents/intents-mini.onnx" "$words/lines.jsonl" --limit 40 --skip-bad --tokenizer \
  "$words/words.json" $text
"$tare" --version | grep -q sentencepiece &&
  check SentencePiece "$intents/intents-mini.onnx" lines.txt --tokenizer "$words/good_words.model" $text
check NumPy "$digits/digits-conv.onnx" arrays $lengths
check tar "$digits/digits-conv.onnx" shard.tar $audio
check manifest "$digits/digits-conv.onnx" parts.jsonl $audio
check segments "$digits/digits-conv.onnx" kaldi/segments $audio
check scp "$digits/digits-conv.onnx" kaldi/wav.scp $audio
check found "$digits/digits-conv.onnx" parts.jsonl --rate 8000 # each finds the profile in all of the data
exit $bad
