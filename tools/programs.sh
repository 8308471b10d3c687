#!/bin/sh
# Fails when a script or test below ROOT calls a program that not every machine with PACKAGES has: it
# belongs neither to one of them nor to Debian's essential set. A test that needs such a program
# passes where that happens to be installed. usage: sh tools/programs.sh ROOT PACKAGES...
set -euf # no globs: [ is a program
tools=$(cd "$(dirname "$0")" && pwd)
cd "$1"
shift
packages=" $* "
LC_ALL=C
export LC_ALL

# "FILE NAME" for each call in scripts, of CMake's tests, and of system() and popen() in C.
calls() {
  find tests tools -name '*.sh' -exec awk -f "$tools/programs.awk" {} +
  find tests -name CMakeLists.txt -exec grep -HEo 'COMMAND +[a-z][a-z0-9_.-]*' {} + |
    sed 's/:COMMAND */ /'
  find tests -name '*.c' -exec grep -HEo '(system|popen)\("[^" ]+' {} + | sed 's/:[^"]*"/ /'
}

built=" $(find tests tools -name CMakeLists.txt -exec sed -n 's/.*add_executable(\([^ )]*\).*/\1/p' {} + |
  tr '\n' ' ')"

# The packages that have a program or what its link leads to. Looks where packages put theirs, whatever
# else is in PATH.
owners() {
  for path in "/usr/bin/$1" "/bin/$1" "/usr/sbin/$1" "/sbin/$1"; do
    [ -x "$path" ] || continue
    file=$(readlink -f "$path")
    dpkg-query -S "$path" "$file" "${file#/usr}" 2>/dev/null | sed 's/:.*//'
  done
}

is_there() {
  case $(type "$1" 2>&1) in *builtin*) return 0 ;; esac
  case $1 in awk) return 0 ;; esac # one of several, which base-files depends on
  case $built in *" $1 "*) return 0 ;; esac
  for package in $(owners "$1"); do
    case $packages in *" $package "*) return 0 ;; esac
    dpkg-query -W -f '${Essential} ${Priority}' "$package" | grep -q 'yes\|required' && return 0
  done
  return 1
}

status=0
for name in $(calls | cut -d ' ' -f 2 | sort -u); do
  is_there "$name" && continue
  file=$(calls | sed -n "s, $name\$,,p" | head -n 1)
  echo "$file: calls '$name', which belongs to none of the listed packages (add its package to" \
    "tools/check.sh)" >&2
  status=1
done
exit $status
