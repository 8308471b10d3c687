# A cache of TensorRT with the scales of a table in place of its own: order, header and the tensors
# that TensorRT made stay.
cat >old.cache <<'END'
TRT-8205-EntropyCalibration2
logits: 3b810a13
(Unnamed Layer* 22) [Constant]_output: 3a4b050c
input_1:0: 3c96d93c
END
cat >new.cache <<'END'
TRT-101602-EntropyCalibration2
hidden: 3c010204
input_1:0: 3c010a14
END
"$TARE" table new.cache -o merged.cache --template old.cache
cat merged.cache
"$TARE" table old.cache -o same.cache --template old.cache --json | "$JSON_CHECK" template.replaced == 3
cmp old.cache same.cache
"$TARE" table new.cache -o old.cache --template old.cache --trt-version 10.3.0 -q
head -n 1 old.cache
for wrong in missing.cache merged.json "$0"; do
  "$TARE" table new.cache -o wrong.cache --template "$wrong"
  echo "exit $?"
done 2>&1 | sed 's/\/.*\///'
"$TARE" table new.cache -o wrong.json --template old.cache
echo "exit $?"
ls
