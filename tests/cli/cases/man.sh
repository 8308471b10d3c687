# Man pages and --help name the same options, with and without arguments, and every member of a family that
# options choose from.
EXAMPLES=$SMALL
commands=$(sed -n 's/^TAREI_COMMAND(\([a-z_]*\),.*/\1/p' "$SOURCE/tools/commands/commands.inc" | tr _ -)
man=$SOURCE/docs/man
page_options() { # PAGE: "--output=" of ".It Fl o , Fl -output Ar FILE"
  sed -n 's/^\.It Fl //p' "$1" | sed 's/ , Fl /\
/g' | sed -n 's/^\(-[A-Za-z0-9-]*\) Ar .*/-\1=/p; s/^\(-[A-Za-z0-9-]*\)$/-\1/p'
}
page_options "$man/tare.1" | sort >shared
help_of() { # COMMAND: of one with subcommands, that of each
  if [ "$1" = debug ]; then
    for sub in $("$TARE" debug --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
      "$TARE" debug "$sub" --help | sed '/^Examples*:/,$d'
    done
  else
    "$TARE" "$1" --help | sed '/^Examples*:/,$d'
  fi
}
for command in $commands; do
  [ -f "$man/tare-$command.1" ] || echo "no page: $command"
  page_options "$man/tare-$command.1" | sort -u >own
  help_of $command | sed -n 's/^ *\(-., \)\{0,1\}\(--[A-Za-z0-9-]*=\{0,1\}\).*/\2/p' | sort -u >help
  cat help >>known
  sort own shared | comm -23 help - | sed "s/^/tare $command --help, but no page: /"
  comm -13 help own | sed "s/^/tare-$command.1, but not --help: /"
done
sort -u known | comm -13 - shared | sed 's/^/tare.1, but no --help: /'
wc -l <shared | awk '$1 < 40 {print "only " $1 " options in tare.1"}'

family() { # PAGE ARGUMENT...: what the last argument, which is no member, could have been
  page=$1
  shift
  "$TARE" "$@" 2>&1 | sed -n 's/.*, expected one of //p' | sed 's/ (did you mean.*//; s/,//g' >names
  [ -s names ] || echo "no names: tare $*"
  for name in $(cat names); do
    grep -q "^\.Cm.*\b$name\b" "$man/$page" || echo "$page has no .Cm $name: tare $*"
  done
}
family tare.1 calibrate m d -o x.json --method nobody
family tare.1 calibrate m d -o x.json --fit nobody
family tare.1 calibrate m d -o x.json --outside nobody
family tare-calibrate.1 calibrate m d -o x.json --pad-stats nobody
family tare.1 run m d --metric nobody
family tare.1 build m -o x.plan --precision-constraints nobody
family tare-table.1 table x -o x.json --format nobody
family tare.1 export m --target nobody
family tare.1 export m --row-scales nobody
family tare.1 export m --weights nobody
family tare-quantize.1 quantize m d --method nobody
family tare-tune.1 tune m d --method nobody
family tare-check.1 check m --target nobody
family tare-debug.1 debug sensitivity m d --calib x --keep nobody
family tare-compare.1 compare m d --eval d --methods nobody
family tare-compare.1 compare m d --eval d --fits nobody
family tare-compare.1 compare m d --eval d --pad-stats nobody
family tare.1 calibrate "$EXAMPLES/digits-conv/digits-conv.onnx" "$EXAMPLES/digits-conv/calib" -o x.json \
  --features nobody
