# A damaged statistics file is refused in one sentence, and HDF5 adds nothing of its own to it.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # HDF5 itself loses memory of files that it refuses
export ASAN_OPTIONS
"$TARE" calibrate "$EXAMPLES/digits-conv/digits-conv.onnx" "$EXAMPLES/digits-conv/calib/0000.wav" \
  -q -o good.stats >printed || exit
refused=0
for offset in 8 44 82 237 251 580 1100 1159 1629 1711 1863 2487 3488; do
  cp good.stats bad.stats
  printf '\377\376\375' | dd of=bad.stats bs=1 seek=$offset conv=notrunc 2>printed
  "$TARE" table bad.stats -q -o out.json >printed 2>message
  case $? in
    0) echo "damage at $offset was not noticed" ;;
    3) refused=$((refused + 1)) ;;
    *) echo "exit $? at $offset: $(cat message)" ;;
  esac
  [ "$(wc -l <message)" = 1 ] || echo "no single sentence at $offset: $(cat message)"
  [ -e out.json ] && echo "a table was written at $offset"
  rm -f out.json
done
echo "$refused damages refused"
