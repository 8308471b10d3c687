"$TARE" doctor --json | "$JSON_CHECK" tare_version is text cores '>' 0 allowed '>' 0 libraries is array \
  cpu.0 is text memory_bytes '>' 0 || exit
"$TARE" doctor | grep -c '^kernel ' >count || exit
[ "$(cat count)" -gt 5 ] || echo "few kernels: $(cat count)"
