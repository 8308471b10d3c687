# A metric that a command of the user prints, from files with outputs and labels.
EXAMPLES=$SMALL
model=$EXAMPLES/digits-conv/digits-conv.onnx
eval=$EXAMPLES/digits-conv/eval
mkdir tmp
export TMPDIR="$PWD/tmp"
"$TARE" calibrate "$model" "$EXAMPLES/digits-conv/calib" --rate 8000 --limit 4 -o digits.json >/dev/null 2>&1 || exit
"$TARE" build "$model" --calib digits.json --profile samples=1000:20000:160000 -o digits.plan >/dev/null 2>&1 || exit
run() {
  "$TARE" run digits.plan "$eval" --rate 8000 --limit 8 --against "$model" "$@"
}
# Whether each sample's outputs are within 0.01 of those of float: 1 or 0, a line each.
cat >near.sh <<'END'
for sample in $(h5ls "$TARE_OUTPUTS" | cut -d ' ' -f 1); do
  if h5diff -q -d 0.01 "$TARE_OUTPUTS" "$TARE_REFERENCE" "/$sample"; then echo 1; else echo 0; fi
done
END
run --metric score --metric-command 'sh near.sh' --json | "$JSON_CHECK" metric.name == score metric.reference == 1 \
  metric.value '<' 1 to_reference.samples == 8 to_reference.high '<=' 0 || exit
run --metric loss --labels digits --metric-command 'h5dump -d /3/label "$TARE_LABELS" | grep "(0)" >&2; echo 2 "$TARE_OUTPUT" >&2; echo 2' |
  grep -e loss -e difference
run --metric score --metric-command 'printf "%s 4\n" 1 2 3 4 5 6 7 8' --worst 1 --json | "$JSON_CHECK" metric.value == 1.125 \
  worst.0.metric '>' 0.2 to_reference.samples == 8 || exit
run --gain-range -10:+10 --metric score --metric-command 'h5ls "$TARE_OUTPUTS" | grep -n . | cut -d : -f 1' --json |
  "$JSON_CHECK" metric.value == 12.5 levels.0.metric.value == 11.5 levels.2.metric.value == 13.5 || exit

# Without a number of each sample there is no interval.
"$TARE" compare "$model" "$EXAMPLES/digits-conv/calib" --eval "$eval" --rate 8000 --limit 6 --methods minmax,mse --fits native \
  --metric score --metric-command 'h5ls "$TARE_OUTPUTS" | wc -l' --require 'score>=1' -q | grep -e 'no interval'
"$TARE" tune "$model" "$EXAMPLES/digits-conv/calib" --eval "$eval" --rate 8000 --limit 4 --metric score --metric-command 'echo 1' \
  --max-drop 0.1 -o tuned.plan -q
echo "exit $?"

# What goes wrong is named.
for command in nosuch 'exit 3' 'kill -9 $$' true 'echo nan' 'echo 0.5 x' 'echo 1 -1' 'seq 7' yes ''; do
  "$TARE" run digits.plan "$eval" --rate 8000 --limit 2 --metric score --metric-command "$command" 2>text
  echo "exit $?"
  grep tare: text
done
# One that takes too long is ended with all its processes, whether it prints, waits or has closed its output.
for command in 'yes >/dev/null' 'echo 1; (sleep 2; touch late) & sleep 321' 'echo 1; exec >/dev/null; sleep 321'; do
  "$TARE" run digits.plan "$eval" --rate 8000 --limit 2 --metric score --metric-command "$command" --metric-timeout 0.5 2>text
  echo "exit $?"
  grep tare: text
done
sleep 2
test -e late && echo 'a process was left'
for seconds in -1 soon 1e9; do
  "$TARE" run digits.plan "$eval" --rate 8000 --limit 2 --metric score --metric-command 'echo 1' --metric-timeout $seconds
  echo "exit $?"
done
run --metric score --metric-command 'sleep 0.2; echo 1' --metric-timeout 0 --json | "$JSON_CHECK" metric.value == 1 || exit
run --metric-command 'echo 1'
echo "exit $?"
run --metric score
echo "exit $?"
ls tmp

# Nor does a signal leave anything: neither files nor processes.
"$TARE" run digits.plan "$eval" --rate 8000 --metric score --metric-command 'sleep 1000 & echo $! >part; mv part pid; wait' &
waits=0
until [ -e pid ]; do
  waits=$((waits + 1))
  [ $waits -lt 1000 ] || exit
  sleep 0.02
done
ls tmp | grep -c metric
kill -TERM $!
wait $! 2>/dev/null # says that it was terminated
echo "exit $?"
ls tmp
waits=0
while kill -0 "$(cat pid)" 2>/dev/null && ! grep -q '^State:.*Z' "/proc/$(cat pid)/status"; do
  waits=$((waits + 1))
  [ $waits -lt 100 ] || exit
  sleep 0.02
done
