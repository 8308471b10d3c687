# Help that was asked for goes to stdout and is a success.
"$TARE" help
commands=$(sed -n 's/^TAREI_COMMAND(\([a-z_]*\),.*/\1/p' "$SOURCE/tools/commands/commands.inc" | tr _ -)
for command in $commands; do
  echo "== $command"
  "$TARE" help $command || exit
  "$TARE" $command --help >again || exit
  "$TARE" help $command | cmp - again
  ! grep -n ' $' again || echo "tare $command" # where a text fills its line, argp adds an empty one
done
for sub in $("$TARE" debug --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
  echo "== debug $sub"
  "$TARE" debug $sub --help | tee again | sed '/^ Lengths:/,/^Example/d'
  ! grep -n ' $' again || echo "tare debug $sub"
done
