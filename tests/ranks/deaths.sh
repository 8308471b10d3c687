#!/bin/sh
# deaths.sh TARE SOURCE DIES: ranks die at calls of MPI, which DIES (die.c) makes them do, and the others
# end in any case: with the bytes of one process, or with a sentence where there is no file. Every third death is
# tried, from one that TARE_TEST_SEED chooses (the process otherwise), and with TARE_LONG every one.
set -u
tare=$1 source=$2 dies=$3
. "$source/tests/ranks/job.sh"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
digits=$source/tests/fixtures/small/digits-conv
data="$digits/digits-conv.onnx $digits/calib --rate 8000 --profile samples=1600:16000:400000"
# shellcheck disable=SC2086 # the list is meant to be split
"$tare" calibrate $data -q -o one.stats >printed || exit 99

seed=${TARE_TEST_SEED:-$$}
echo "seed $seed"
chosen() { # whether the next death is tried
  seed=$((seed + 1))
  [ -n "${TARE_LONG:-}" ] || [ $((seed % 3)) = 0 ]
}

# WHERE SENTENCE [ARGUMENT...]: deaths, as RANK:CALL:TURN, and what rank 0 says
dies() {
  where=$1 sentence=$2
  shift 2
  rm -f died.stats
  # shellcheck disable=SC2086
  find_leaks_of_ranks --enable-recovery -x LD_PRELOAD="$dies" -x RANK_DIES="$where" "$@" -n 3 "$tare" \
    calibrate $data --threads 1 --rank-timeout 3 -o died.stats >printed 2>&1 &
  job=$!
  await_job 60 || wrong "$where: exit $?: $(cat printed)"
  grep -q "$sentence" printed || wrong "$where: no '$sentence': $(cat printed)"
}
dies_with_file() {
  chosen || return 0
  dies "$@"
  cmp died.stats one.stats || wrong "$1: other bytes: $(cat printed)"
  [ -z "$2" ] || [ "$(grep -c "$2" printed)" = 1 ] || wrong "$1: not said once: $(cat printed)"
}
dies_without_file() {
  chosen || return 0
  dies "$@"
  [ ! -e died.stats ] || wrong "$1: wrote a file: $(cat printed)"
}
given_up='rank 1 on .* does not answer for 3 s and is given up'
named='rank 1 .*does not answer for 3 s' # the part may have come as a whole

dies_without_file 1:init:1 'MPI has not started after 18 s: a rank has died'
dies_with_file 1:send:4 "$given_up"
dies_with_file 1:part:1 "$given_up"
dies_with_file 1:part:1+ "$named"
dies_with_file 1:part:1+ "$named" --mca btl tcp,self
dies_with_file 1:part:1+ "$named" --mca btl_vader_single_copy_mechanism cma
dies_with_file 2:bye:1 'rank 2 does not answer for 3 s: the others end without it'
dies_with_file 1:finalize:1,2:finalize:1 ''
exit $bad
