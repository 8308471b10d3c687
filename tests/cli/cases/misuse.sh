# Every misuse is exit code 2 with a sentence and a hint on stderr.
EXAMPLES=$SMALL
misuse() {
  "$TARE" "$@"
  code=$?
  [ $code = 2 ] || echo "exit $code: tare $*"
}
misuse
misuse fly
misuse help fly
misuse calibrate
misuse calibrate model.onnx
misuse calibrate model.onnx data
misuse calibrate model.onnx data -o model.bin
misuse calibrate model.onnx data -o x.stats --pad-stats maybe
misuse calibrate model.onnx data -o x.stats --pad-stats count
misuse calibrate model.onnx data -o x.stats --pad-stats count --fit truncate
misuse calibrate model.onnx data -o x.stats --pad-stats count --chunk samples=512
misuse calibrate model.onnx data -o x.stats --fit stretch
misuse calibrate model.onnx data -o x.stats --outside far
misuse calibrate model.onnx data -o x.stats --pad-value audio
misuse calibrate model.onnx data -o x.stats --pad-value audio=loud
misuse calibrate model.onnx data -o x.stats --profile auto --profile samples=1:2:3
misuse calibrate model.onnx data -o x.stats --profile=1 --optShapes=audio:1x100
misuse calibrate model.onnx data -o x.stats --minShapes=audio:1x100
misuse calibrate model.onnx data -o x.stats --minShapes=audio:1x100 --optShapes=audio:1x200
misuse calibrate model.onnx data -o x.stats --optShapes=audio:1x100 --optShapes=audio:1x200
misuse calibrate model.onnx data -o x.stats --rate fast
misuse calibrate model.onnx data -o x.stats --limit 0
misuse calibrate model.onnx data -o x.stats --map input_ids
misuse calibrate model.onnx data -o x.stats --map a=/b:offsets=/c:lengths=/d
misuse calibrate model.onnx data -o x.json --method average
misuse calibrate model.onnx data -o x.json --method percentile --percentile 101
misuse calibrate model.onnx data -o x.json --percentile 50
misuse table
misuse table a b -o c.json
misuse table a
misuse table a -o b.bin
misuse table a -o b.json --format yaml
misuse table a -o b.json --method mse --percentile 50
misuse table a -o b.cache --trt-version 1016022222222222
misuse build
misuse build model.onnx
misuse build "$EXAMPLES/digits-conv/digits-conv.onnx" -o model.plan
misuse build model.onnx -o model.plan --fp32 --calib table.json
misuse build model.onnx -o model.plan --fp32 --precision-constraints must
misuse build model.onnx other.onnx -o model.plan --fp32
misuse import-qdq
misuse import_qdq
misuse run
misuse run model.plan
misuse run model.plan data --use-profile -1
misuse run model.plan data --threads 0
misuse run model.plan data --unknown
misuse compare
misuse compare model.onnx data
misuse compare model.onnx data --eval data --methods minmax,average
misuse compare model.onnx data --eval data --fits native,wide
misuse compare model.onnx data --eval data --pad-stats some
misuse compare model.onnx data --eval data --fits native --pad-stats all
misuse compare model.onnx data --eval data --methods ,
misuse compare model.onnx data --eval data --methods mse --percentile 50
misuse bench
misuse bench a b
misuse bench a --shapes audio:1x100 --symbols samples=100
misuse bench a --iterations 0
misuse bench a --duration soon
misuse inspect
misuse doctor now
misuse diff
misuse diff a.plan b.plan --duration -1
misuse diff a.plan b.plan data --times --labels text
misuse debug
misuse debug reduce
misuse debug reduce m.onnx data
misuse debug reduce m.onnx data -o part.onnx --min-sqnr :20
misuse debug shrink
misuse debug compare a.plan data
misuse debug compare a.plan data --against m.onnx --atol few
misuse debug compare a.plan data --against m.onnx --min-sqnr :20
misuse debug compare a.plan data --against m.onnx --max-drop -1
misuse debug sensitivty
misuse debug sensitivity
misuse debug sensitivity m.onnx data
misuse debug sensitivity m.onnx data --calib x.json --keep int4
misuse debug sensitivity m.onnx data --calib x.json --target high
misuse calibrate "" data -o x.stats
misuse build model.onnx --calib= -o x.plan
misuse build "$EXAMPLES/digits-conv/digits-conv.onnx" --fp32 --profile samples=1600:16000:160000 -o -
