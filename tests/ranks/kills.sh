#!/bin/sh
# kills.sh TARE SOURCE [TRIALS [SEED]]: ranks are killed at random points, one or two of three at once or one
# after the other, and the file has the bytes of one process. One trial, unless TARE_LONG asks for more.
set -u
tare=$1 source=$2 trials=${3:-$((${TARE_LONG:+9} + 1))} seed=${4:-${TARE_TEST_SEED:-$$}}
. "$source/tests/ranks/job.sh"
echo "seed $seed"

random() { # BELOW: sets $drawn; the same numbers for the same seed
  seed=$(((seed * 1103515245 + 12345) % 2147483648))
  drawn=$((seed / 65536 % $1))
}

counted() { # by all ranks so far
  tr '\r' '\n' <printed | sed -n 's/^calibrate \([0-9]*\)\/.*/\1/p' | tail -n 1
}

await_count() { # COUNT: until so many are counted, or the job has ended
  while kill -0 $job 2>/dev/null && [ "$(counted || echo 0)0" -lt "${1}0" ]; do
    sleep 0.02
  done
}

total=0
while [ $total -lt 16 ]; do
  ls "$source"/examples/digits-conv/calib/*.wav
  total=$((total + $(ls "$source"/examples/digits-conv/calib/*.wav | wc -l)))
done >list.txt
slow="$source/tests/fixtures/small/digits-conv/digits-conv.onnx list.txt --profile samples=1600:16000:400000 --rate 44100"
# shellcheck disable=SC2086 # the list is meant to be split
"$tare" calibrate $slow -q -o one.stats >printed || exit 99

trial=0
while [ $trial -lt "$trials" ]; do
  trial=$((trial + 1))
  random $((total + total / 4))
  at=$((drawn - total / 4)) # below 1: in the first second, mostly while MPI starts
  random 2
  first=$((drawn + 1))
  random 3 # both in a third of the trials
  both=$drawn
  rm -f killed.stats
  # shellcheck disable=SC2086
  run_ranks --enable-recovery -n 3 "$tare" calibrate $slow --threads 1 --progress \
    --rank-timeout 5 -o killed.stats >printed 2>&1 &
  job=$!
  if [ $at -lt 1 ]; then
    sleep 0.$((-at))
  else
    await_count "$at"
  fi
  kill_rank $first
  if [ "$both" = 0 ]; then
    random 10
    sleep "$drawn"
    kill_rank $((3 - first))
  fi
  await_job 120
  code=$?
  if [ $code = 0 ] && cmp -s killed.stats one.stats; then
    echo "trial $trial: rank $first after $at samples, both: $both"
  elif [ $at -lt 1 ] && [ ! -e killed.stats ] && grep -q 'MPI has not started' printed; then
    echo "trial $trial: rank $first died before MPI had started"
  else
    wrong "trial $trial: rank $first after $at samples, both: $both: exit $code: $(cat printed)"
  fi
done
exit $bad
