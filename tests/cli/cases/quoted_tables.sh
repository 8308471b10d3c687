# Tables of other tools, as their documents quote them: read and written again, they have the same
# bytes.
for file in "$SOURCE"/tests/fixtures/tables/quoted/*; do
  name=$(basename "$file")
  "$TARE" table "$file" -o "$name" -q | sed -n 's/^tensors *//p'
  cmp "$file" "$name" && echo "$name"
done
# a native table keeps the lines of ncnn, and the header of TensorRT, but not its order
"$TARE" table "$SOURCE/tests/fixtures/tables/quoted/ncnn_mixed.table" -o ncnn.json -q >text
"$TARE" table ncnn.json -o again.table -q >text
cmp "$SOURCE/tests/fixtures/tables/quoted/ncnn_mixed.table" again.table
"$TARE" table "$SOURCE/tests/fixtures/tables/quoted/trt7_sample_int8.cache" -o trt.json -q >text
"$TARE" table trt.json -o trt.cache
cat trt.cache
"$TARE" table trt.json -o new.cache --trt-version 10.3 --algo-header MinMaxCalibration
head -n 1 new.cache
