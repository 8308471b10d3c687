# A loop that makes a cache longer in each turn and divides it into heads, as decoders do: its plan can be loaded.
folder=$SOURCE/tests/fixtures/measured
"$TARE" build -q "$folder/cache.onnx" --fp32 --profile frames=1:5:9 -o x.plan >text || exit
"$TARE" run -q x.plan "$folder/frames.npy" --against "$folder/cache.onnx" | grep '^SQNR'
