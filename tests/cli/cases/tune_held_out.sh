# Plans are judged by samples that did not calibrate them, the same ones in any order of the data.
EXAMPLES=$SMALL
model=$EXAMPLES/digits-conv/digits-conv.onnx
i=10
mkdir first second
for file in "$EXAMPLES"/digits-conv/calib/0*; do
  if [ $i -lt 26 ]; then
    cp "$file" first/$i."${file##*.}"
    cp "$file" second/$((99 - i))."${file##*.}"
    i=$((i + 1))
  fi
done
tune() { # DATA NAME OPTION...
  data=$1 name=$2
  shift 2
  "$TARE" tune "$model" "$data" --rate 8000 --profile samples=1600:32000:120000 --method minmax --sqnr 30 \
    --time-limit 0.001 -o "$name.plan" --table "$name.json" "$@"
}
tune first a --json 2>err >text || exit
"$JSON_CHECK" held_out == 4 default.samples == 4 default.sqnr_interval.low '>' 30 default.sqnr_interval.high '<' 70 <text || exit
grep -c 'judged by the samples that calibrate it' err
tune second b -q | sed -n 's/^\(held out .*\)/\1/p; s/^\(bounds .*\)/\1/p; s/^default .* dB (95 %: .*/an interval/p'
cmp a.json b.json && echo "the same table"

# They are no part of the statistics: the table of the others is another than that of all.
"$TARE" calibrate "$model" first --rate 8000 --profile samples=1600:32000:120000 -q -o all.json >/dev/null || exit
cmp -s a.json all.json || echo "another table"

# Of few samples none is held out, and that is said.
tune first c --limit 15 --json 2>err >text || exit
"$JSON_CHECK" held_out == 0 default.samples == 15 <text || exit
# Without VNNI the times of int8 and float are so near that either may be the faster.
grep -v 'a float plan: the search was ended before a faster one held the bounds' err
# With other data neither.
tune first d --eval second --json 2>err >text || exit
"$JSON_CHECK" default.samples == 16 <text || exit
grep -c held_out text
grep -c 'judged by' err
true
