# TensorRT caches: one profile each, versions as people write them, and which tensors they hold.
EXAMPLES=$SMALL
model=$EXAMPLES/digits-conv/digits-conv.onnx
data=$EXAMPLES/digits-conv/calib
profiles="--profile samples=1000:5000:10000 --profile samples=10001:15000:40000"
"$TARE" calibrate "$model" "$data" --rate 8000 --limit 4 $profiles -o some.stats -q >text || exit
"$TARE" calibrate "$model" "$data" --rate 8000 --limit 4 $profiles --all-tensors -o all.stats -q \
  >text || exit
misuse() {
  "$TARE" "$@"
  code=$?
  [ $code = 2 ] || echo "exit $code: tare $*"
}
misuse table all.stats --per-profile -o x.cache
misuse table all.stats --per-profile --profile-index 2 -o x.cache
misuse table all.stats --profile-index 1 -o x.cache
misuse table all.stats --profile-index 1 -o x.json
misuse calibrate "$model" "$data" --rate 8000 $profiles --per-profile -o x.cache
misuse calibrate "$model" "$data" --rate 8000 $profiles --profile-index 1 -o x.cache
misuse table all.stats --trt-version 10.3.0 -o x.json
"$TARE" table all.stats --per-profile -o per.json >text || exit
misuse table per.json -o x.cache
for version in 10.3.0 10.3 100300 8.6.1 8601 10 10.16.2; do
  "$TARE" table all.stats --trt-version $version -o version.cache -q >text || exit
  head -n 1 version.cache
done
for version in 10.3.x 10.3.0.1 v10 103 10.100 ''; do
  misuse table all.stats --trt-version "$version" -o x.cache
done
"$TARE" table all.stats --per-profile --profile-index 1 -o one.cache >text || exit
"$TARE" table per.json --profile-index 1 -o two.cache >text || exit
cmp one.cache two.cache
"$TARE" table all.stats -o merged.cache >text || exit
cmp -s merged.cache one.cache && echo "the same"
"$TARE" table some.stats -o some.cache >text || exit
[ "$(wc -l <some.cache)" -lt "$(wc -l <merged.cache)" ] || echo "no fewer"
ls
