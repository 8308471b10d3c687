# Every command has a man page, and every option of its help is in that page or in tare(1).
for command in calibrate table build run compare bench inspect doctor; do
  page=$SOURCE/docs/man/tare-$command.1
  [ -f "$page" ] || echo "no page: $command"
  "$TARE" $command --help | grep -o '^ *\(-., \)\?--[A-Za-z0-9-]*' | grep -o -- '--[A-Za-z0-9-]*' |
    while read -r option; do
      grep -q "Fl -${option#--}\b" "$page" "$SOURCE/docs/man/tare.1" ||
        echo "$command: $option is in no page"
    done
done
