# What doxygen reads of a header: its first comment is that of the file. In tare.h it has lists in columns.
FNR == 1 {
  first = 1
  sub(/^\/\*/, "/** @file")
  print
  if (FILENAME ~ /tare\/tare\.h$/) {
    print "@verbatim"
    verbatim = 1
  }
  next
}
first && /^ \*\/$/ {
  first = 0
  print verbatim ? "@endverbatim */" : $0
  next
}
first && verbatim { sub(/^ \* ?/, "") }
{ print }
