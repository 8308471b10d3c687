"$TARE" version
"$TARE" --version
