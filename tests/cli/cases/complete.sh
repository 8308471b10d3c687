# Values of options, as shells ask for them.
ask() { # COMMAND... --OPTION=TEXT
  echo "== $*"
  "$TARE" complete "$@" 2>said
  code=$?
  [ $code = 0 ] || { echo "exit $code"; head -1 said; }
}
ask calibrate --method=
ask calibrate --method=m
ask calibrate a.onnx data --smoothing=o
ask calibrate --features=w
ask compare --methods=minmax,en
ask compare --methods=typo,en
ask table --format=o
ask run --metric=c
ask export --target=t
ask debug sensitivity --keep=
ask doctor --isa=avx512
ask build --isa=avx2,a

echo "== any text is allowed, or none, or there is no such option"
ask calibrate --profile=a
ask calibrate --json=a
ask calibrate --nothing=a
ask nothing --method=
ask calibrate
ask
# No file is opened, and none written.
ask calibrate a.onnx data --output=a
ls
