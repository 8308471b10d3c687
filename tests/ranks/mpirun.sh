#!/bin/sh
# mpirun.sh TARE SOURCE: several ranks write the bytes of one process; a failure of one is said once, and
# ends all.
set -u
tare=$1 source=$2
examples=$source/tests/fixtures/small
. "$source/tests/ranks/job.sh"
ranks() { # N ARGUMENT...: by N ranks, with what they print in the file printed
  n=$1 start=run_ranks
  shift
  [ "$n" != 2 ] || start=find_leaks_of_ranks
  $start -n "$n" "$tare" calibrate "$@" >printed 2>&1
}

# The same bytes for any number of ranks and threads.
audio="$examples/digits-conv/digits-conv.onnx $examples/digits-conv/calib --rate 8000"
text="$examples/intents-mini/intents-mini.onnx $examples/intents-mini/calib.h5 --limit 30
--smoothing on --weight-clipping on --bias-correction on --profile sequence=1:64:128
--profile sequence=129:256:1024"
chosen="$audio --samples 9 --seed 3 --weight sample"
numbers="1:2 2:1 2:2 4:1" # of ranks and their threads
for what in "$audio" "$text" "$chosen"; do
  # shellcheck disable=SC2086 # the list is meant to be split
  "$tare" calibrate $what -q -o one.stats >printed || wrong "one process: $(cat printed)"
  for run in $numbers; do
    n=${run%:*}
    # shellcheck disable=SC2086
    ranks "$n" $what --threads "${run#*:}" -o many.stats || wrong "$run: $(cat printed)"
    cmp many.stats one.stats || wrong "ranks:threads $run: other bytes"
    ! grep 'was not checked' printed || wrong "ranks:threads $run: the accuracy was not checked"
    rm -f many.stats
  done
  numbers="2:2 4:1"
done

# Samples with equal contents are different samples.
model=$examples/digits-conv/digits-conv.onnx
for _ in 1 2 3; do
  ls "$source"/examples/digits-conv/calib/*.wav
done >list.txt
repeated="$model list.txt --profile samples=1600:16000:400000 --rate 44100"
# shellcheck disable=SC2086 # the list is meant to be split
"$tare" calibrate $repeated -q -o one.stats >printed || wrong "one process: $(cat printed)"
# shellcheck disable=SC2086
ranks 3 $repeated --threads 1 -o many.stats || wrong "equal samples: $(cat printed)"
cmp many.stats one.stats || wrong "equal samples: other bytes"

# A sample that one rank cannot read.
echo none >none.wav
echo "$folder/none.wav" >>list.txt
# shellcheck disable=SC2086
ranks 3 $repeated -o x.stats
code=$?
[ $code = 3 ] || wrong "a bad sample: exit $code"
[ "$(grep -c 'tare: rank [0-2]: .*none.wav: not a readable audio file' printed)" = 1 ] ||
  wrong "a bad sample is not said once: $(cat printed)"
[ ! -e x.stats ] || wrong "a bad sample: statistics were written"

# What ranks cannot do together.
ranks 2 "$model" "$examples/digits-conv/calib" --checkpoint x.part -o x.stats
code=$?
[ $code = 2 ] || wrong "--checkpoint: exit $code"
grep -q 'rank [01]: --checkpoint is for one process' printed || wrong "--checkpoint: $(cat printed)"
exit $bad
