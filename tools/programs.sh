#!/bin/sh
# Fails when a script or test below ROOT calls a program that not every machine with PACKAGES has: it
# belongs neither to one of them nor to Debian's essential set. A test that needs such a program
# passes where that happens to be installed. Packages need not be installed: scripts that are run by hand install what
# they call. Those that are missing are downloaded to see their programs.
# usage: sh tools/programs.sh ROOT PACKAGES...
set -euf # no globs: [ is a program
tools=$(cd "$(dirname "$0")" && pwd)
cd "$1"
shift
LC_ALL=C
export LC_ALL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "FILE NAME" for each call in scripts, of CMake's tests, and of system() and popen() in C.
calls() {
  find tests tools -name '*.sh' -exec awk -f "$tools/programs.awk" {} +
  find tests -name CMakeLists.txt -exec grep -HEo 'COMMAND +[a-z][a-z0-9_.-]*' {} + |
    sed 's/:COMMAND */ /'
  find tests -name '*.c' -exec grep -HEo '(system|popen)\("[^" ]+' {} + | sed 's/:[^"]*"/ /'
}

# The files of a package that is not installed.
files_in_archive() {
  (cd "$work" && { apt-get -q download "$1" || { apt-get -q update && apt-get -q download "$1"; }; } >log 2>&1) || {
    tail -n 1 "$work/log" >&2
    echo "programs.sh: cannot tell which programs '$1' has: it is not installed and cannot be downloaded" >&2
    return 0
  }
  find "$work" -name "$1_*.deb" -exec dpkg-deb -c {} \;
}

# The programs of packages and of the essential set, by their paths without /usr, and those that CMake builds.
programs() {
  essential=$(dpkg-query -W -f '${Package} ${Essential} ${Priority}\n' | awk '/ yes| required/ {print $1}')
  for package in $essential "$@"; do
    dpkg-query -L "$package" 2>/dev/null || files_in_archive "$package"
  done | sed -n 's#^.*\(/s\{0,1\}bin/[^/ ]*\).*#\1#p'
  find tests tools -name CMakeLists.txt -exec sed -n 's#.*add_executable(\([^ )]*\).*#/bin/\1#p' {} +
}

is_there() {
  case $(type "$1" 2>&1) in *builtin*) return 0 ;; esac
  case $1 in awk) return 0 ;; esac # one of several, which base-files depends on
  case $1 in
  /*) set -- "${1#/usr}" ;;
  *) set -- "/bin/$1" "/sbin/$1" ;;
  esac
  for path in "$@"; do
    grep -qxF "$path" "$work/programs" && return 0
    # what its link leads to, as cc to the compiler of a package
    grep -qxF "$(readlink -f "/usr$path" | sed 's#^/usr##')" "$work/programs" && return 0
  done
  return 1
}

calls >"$work/calls"
programs "$@" >"$work/programs"
status=0
for name in $(cut -d ' ' -f 2 "$work/calls" | sort -u); do
  is_there "$name" && continue
  file=$(sed -n "s, $name\$,,p" "$work/calls" | head -n 1)
  echo "$file: calls '$name', which belongs to none of the listed packages (add its package to" \
    "tools/deps.sh)" >&2
  status=1
done
exit $status
