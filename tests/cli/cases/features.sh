# Log-mel features of recordings, for a model of 23 mels.
model=$SOURCE/tests/fixtures/onnx/good_mels.onnx
audio=$SOURCE/tests/fixtures/features/recording.wav
"$TARE" inspect "$audio" --model "$model" --features kaldi || exit
"$TARE" inspect "$audio" --features whisper || exit
"$TARE" calibrate "$model" "$audio" --features kaldi --profile frames=8:28:64 -o mels.json --json |
  "$JSON_CHECK" samples == 1 || exit
"$TARE" build "$model" --calib mels.json --profile frames=8:28:64 -o mels.plan -q >text || exit
"$TARE" run mels.plan "$audio" --features kaldi --against "$model" --json |
  "$JSON_CHECK" samples == 1 sqnr_db '>' 20 || exit
"$TARE" run "$model" "$audio" --features kaldi --fit opt --profile frames=8:16:64 --json |
  "$JSON_CHECK" samples == 1 || exit
for features in mfcc kaldi,mels=80 kaldi,window=sinc whisper,rate=8000,fmax=8000; do
  "$TARE" run "$model" "$audio" --features $features
  echo "exit $?"
done
"$TARE" run "$model" "$audio" --features kaldi --rate 8000
echo "exit $?"
