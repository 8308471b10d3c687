# The verdict where the truth is known (tests/fixtures/lengths/make_lengths.py), and the commands that
# make what ranks first.
lengths=$SOURCE/tests/fixtures/lengths
tare() {
  "$TARE" "$@"
}
compare() { # MODEL OPTION...: static scales, which is what a calibration decides
  name=$1
  shift
  tare compare "$lengths/$name.onnx" "$lengths/${name}_calib.npz" -q --eval "$lengths/${name}_eval.npz" \
    --map x=x:lengths=lengths --layer-precisions '*:int8' "$@"
}
handled="--profile frames=8:40:80 --fits native,opt,pad --pad-stats all --methods minmax,percentile"
echo "# equal over lengths"
compare plain $handled --json | "$JSON_CHECK" verdict.kind == equal verdict.sure is true \
  verdict.reasons length 3 strategies.0.rank == 1 pairs.0.effect == equal pairs.0.scales.tensors == 3 || exit
echo "# ranges that grow with the length: cutting to opt hides it"
compare growing $handled --json | "$JSON_CHECK" verdict.kind == lengths verdict.sure is true \
  strategies.0.rank == 1 strategies.0.fit == native pairs.0.scales.worst '<' 1.1 || exit
compare growing --profile frames=8:20:30 --profile frames=31:60:80 --fits native,per-profile \
  --methods minmax --json | "$JSON_CHECK" lengths length 2 lengths.1.profile == 1 lengths.1.min '>' 30 \
  calibrations.0.range_drift.tensors == 3 calibrations.0.range_drift.grown '>' 1 || exit
echo "# short samples that are louder: thresholds per profile"
compare loud --profile frames=8:20:30 --profile frames=31:60:80 --fits native,opt,per-profile \
  --methods minmax,entropy --json | "$JSON_CHECK" verdict.kind == lengths verdict.sure is true \
  strategies.4.rank == 1 strategies.4.fit == per-profile calibrations.0.range_drift.shrunk == 3 || exit
echo "# padding that poisons"
COLUMNS=80 compare log $handled >text || exit
sed -n '/^verdict/,/^to make/p' text | sed -e 's/[0-9][0-9]*\.[0-9][0-9]*/N/g' -e 's/  */ /g'
compare log $handled --json | "$JSON_CHECK" verdict.kind == padding verdict.sure is true \
  calibrations.0.padding == 0 calibrations.1.padding '>' 0.05 || exit
echo "# blamed on padding alone only where nothing else differs"
compare log --profile frames=8:40:80 --fits native,pad --pad-stats count --methods minmax --json |
  "$JSON_CHECK" verdict.kind == padding pairs.0.axis == padding pairs.0.effect == worse || exit
compare log --profile frames=8:40:80 --fits native,opt --pad-stats count --methods minmax --json |
  "$JSON_CHECK" verdict.kind == lengths pairs.0.axis == fit calibrations.1.cut '>' 0 || exit
echo "# a gain range: what is equal at each level is equal"
compare plain $handled --fits native,per-profile --pad-stats exclude --gain-range -6:+6:6dB --waveform x --json |
  "$JSON_CHECK" verdict.kind == equal verdict.sure is true pairs.0.effect == equal \
  strategies.0.sqnr_interval.low is number || exit
echo "# one sample is enough where the scales are equal"
compare plain --profile frames=8:40:80 --fits native,per-profile --methods minmax --limit 1 --json |
  "$JSON_CHECK" verdict.kind == equal verdict.sure is true pairs.0.scales.worst == 1 || exit
echo "# too little data to tell: an outlier in one sample of four"
few="--profile frames=8:40:80 --fits native --methods minmax,percentile --percentile 99.5"
compare few $few --json | "$JSON_CHECK" verdict.kind == undecided verdict.sure is false \
  strategies.0.lengths length 3 || exit
compare few $few | sed -n 's/.*\(give about [0-9]*\).*/\1/p'
echo "# as many as it asked for tell"
tare compare "$lengths/few.onnx" "$lengths/few_calib.npz" --eval "$lengths/few_calib.npz" -q $few \
  --map x=x:lengths=lengths --layer-precisions '*:int8' --json |
  "$JSON_CHECK" verdict.kind == method verdict.sure is true || exit
echo "# the commands make the same table and plan"
same() { # MODEL OPTION...
  rm -rf made again && mkdir made again
  compare "$@" -o 'made/the best.json' -o made/x.plan >text || exit
  sed -n -e "s|made/|again/|g" -e '/^  tare /p' text >commands
  sed "s|^ *\([^ ]* [^ ]*\) .*\(--fit .*\)|\1 ... \2|" commands | sed 's/ [^ ]*plain.onnx / MODEL /'
  (. ./commands) >said 2>&1 || cat said
  cmp 'made/the best.json' 'again/the best.json' && cmp made/x.plan again/x.plan
}
same plain --fits native --methods minmax
same plain --fits opt --pad-stats count --methods percentile --percentile 99.9 --limit 20 \
  --pad-value x=-1.5 --outside nearest --profile frames=20:30:60
same plain --fits per-profile --methods entropy --profile frames=1:20:30 --profile frames=31:60:80 \
  --isa avx2 --threads 1 --symmetric
same plain --fits native --methods minmax --weight-rounding nearest --weight-clipping on --bias-correction on --smoothing on
echo "# and with an input that follows the fit, which only the data show"
model=$SOURCE/tests/fixtures/onnx/good_lengths.onnx data=$SOURCE/tests/fixtures/arrays/good_lengths.npz
tare compare "$model" "$data" --eval "$data" --profile sequence=2:8:20 --profile sequence=21:32:40 \
  --fits opt --methods minmax -q -o a.json >text || exit
sed -n -e 's/ a.json/ b.json/' -e '/^  tare calibrate/p' text >commands
grep -o "length-input [^ ]*" commands
(. ./commands) >said 2>&1 || cat said
cmp a.json b.json
