# Help that was asked for goes to stdout and is a success.
"$TARE" help
for command in calibrate table build run compare bench inspect doctor; do
  echo "== $command"
  "$TARE" help $command || exit
  "$TARE" $command --help >again || exit
  "$TARE" help $command | cmp - again
  ! grep -n ' $' again || echo "tare $command" # where a text fills its line, argp adds an empty one
done
