# Tar shards, manifests of NeMo and lhotse, and Kaldi's files give the statistics of the folder.
EXAMPLES=$SMALL
model=$EXAMPLES/digits-conv/digits-conv.onnx
fixtures=$SOURCE/tests/fixtures/archives
mkdir in kaldi
cp "$EXAMPLES/digits-conv/calib"/000[0-7].* in
"$TARE" calibrate "$model" in --rate 8000 --threads 1 -q -o folder.stats >text || exit

# same NAME DATA...: DATA gives the statistics of the folder, with one thread and with three
same() {
  name=$1
  shift
  for threads in 1 3; do
    "$TARE" calibrate "$model" "$@" --rate 8000 --threads $threads -q -o "$name.stats" >text || exit
    cmp folder.stats "$name.stats" && echo "$name: the statistics of the folder"
  done
}

tar -c -f all.tar --sort=name -C in . || exit
tar -c -z -f all.tar.gz --sort=name -C in . || exit
same shard all.tar
same packed all.tar.gz
(cd in && tar -c -f ../shard-000.tar -- *[0-3].* && tar -c -f ../shard-001.tar -- *[4-7].*) || exit
same shards shard-000.tar shard-001.tar
for file in in/*; do
  key=$(basename "$file" | cut -d . -f 1)
  printf '{"audio_filepath": "%s", "text": "digit"}\n' "$file" >>nemo.json
  printf '{"id": "%s", "sources": [{"type": "file", "source": "%s"}]}\n' "$key" "$file" >>recordings.jsonl
  printf '%s ../%s\n' "$key" "$file" >>kaldi/wav.scp
  printf '%s %s 0 -1\n' "$key" "$key" >>all.segments
done
same nemo nemo.json
same lhotse recordings.jsonl
same scp kaldi/wav.scp
mv all.segments kaldi/segments
same segments kaldi

for data in all.tar all.tar.gz nemo.json recordings.jsonl kaldi kaldi/wav.scp; do
  "$TARE" inspect "$data" --rate 8000 | sed -n '1,3p' || exit
done
"$TARE" inspect all.tar --rate 8000 --channel 1 --json | "$JSON_CHECK" samples == 8 bad == 0 || exit

echo "--- labels that are empty"
printf 'path,digits\nin/0000.wav,\nin/0001.flac,71\nin/0002.flac,\n' >some.csv
"$TARE" run "$model" some.csv --rate 8000 --labels digits --metric ctc-error --alphabet 0123456789 \
  --profile samples=1600:16000:80000 >text
echo "exit $?"

echo "--- matrices"
"$TARE" inspect "$fixtures/good_matrices.scp"
echo "exit $?"
printf 'u %s:3\n' "$fixtures/good_matrices.ark" >feats.scp
"$TARE" run "$model" feats.scp --profile samples=2:3:8
echo "exit $?"

echo "--- what is refused"
printf 'a sox in.mp3 -t wav - |\n' >pipe.scp
for data in "$fixtures/bad_link.tar" "$fixtures/bad_cut.tar" pipe.scp "$fixtures/bad_compressed.ark" \
  "$fixtures/bad_command.jsonl"; do
  "$TARE" calibrate "$model" "$data" --profile samples=1:8:80000 -q -o x.stats
  echo "exit $?"
done
"$TARE" inspect all.tar --channel 3
echo "exit $?"
"$TARE" inspect "$fixtures/bad_garbage.tar" --skip-bad
echo "exit $?"
