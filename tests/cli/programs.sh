#!/bin/sh
# programs.sh TOOLS: tools/programs.sh finds what scripts and tests call, and only that.
set -eu
tools=$1
command -v dpkg-query >/dev/null || { echo "skipped: not a Debian system"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tests" "$folder/tools"
cd "$folder"

cat >tests/calls.sh <<'END'
# not-a-call 'nor this
helper() { in-function "not a call"; }
helper | in-pipe && in-list || in-list2; echo not-a-call # not-a-call
word=value in-front 2>&1 >file <input
[ "$(in-quotes "$(in-quotes-twice)" | in-quotes-pipe)" = ")" ] && ! negated
case $word in not-a-call | 'not') in-case ;; not-a-call) : ;; esac
for i in not-a-call; do in-loop $((i + 1)) ${i:-not a call}; done
awk '{ not-a-call; "not" }' not-a-call; "$word" not-a-call
env WORD=value behind-env \
  not-a-call
timeout -k 5s 60 behind-timeout not-a-call
(in-brackets)
/usr/bin/in-place not-a-call
in-here <<'TEXT'
not-a-call; it's text
TEXT
behind-here
END
echo 'int a = system("in-c not-a-call");' >tests/calls.c
printf '%s\n' 'add_executable(built a.c)' 'add_executable(built-too' '  b.c)' 'add_test(NAME a COMMAND built)' 'add_test(NAME d COMMAND built-too)' \
  'add_test(NAME b COMMAND in-cmake)' 'add_test(NAME c COMMAND ${TARGET} not-a-call)' \
  >tests/CMakeLists.txt

found=$(sh "$tools/programs.sh" . 2>&1 | sed "s/.*calls '\(.*\)', which.*/\1/") || true
[ "$(echo $found)" = "/usr/bin/in-place behind-env behind-here behind-timeout in-brackets in-c in-case in-cmake in-front in-function \
in-here in-list in-list2 in-loop in-pipe in-quotes in-quotes-pipe in-quotes-twice negated" ] ||
  { echo "found: $found"; exit 1; }
sh "$tools/programs.sh" . >/dev/null 2>&1 && { echo "unknown programs are accepted"; exit 1; }

# dpkg's own package is essential; one from a package counts with that package alone.
rm tests/*
echo 'dpkg --version' >tests/calls.sh
sh "$tools/programs.sh" .
echo 'dpkg --version | gcc --version; /usr/bin/dpkg --version' >tests/calls.sh
[ -x /usr/bin/gcc ] || exit 0
sh "$tools/programs.sh" . gcc
sh "$tools/programs.sh" . cmake 2>message && { echo "gcc is accepted without its package"; exit 1; }
cat message

# A package that is not installed has what its archive holds; without it, nothing.
mkdir -p package/DEBIAN package/usr/bin archive
printf 'Package: tare-elsewhere\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@tare.invalid>\nDescription: none\n' \
  >package/DEBIAN/control
: >package/usr/bin/in-archive
dpkg-deb -b package archive/tare-elsewhere_1_all.deb >/dev/null
cat >archive/apt-get <<END
case \$* in *download*) cp $folder/archive/tare-elsewhere_1_all.deb . ;; esac
END
chmod +x archive/apt-get
echo 'in-archive' >tests/calls.sh
PATH=$folder/archive:$PATH sh "$tools/programs.sh" . tare-elsewhere
rm archive/tare-elsewhere_1_all.deb
PATH=$folder/archive:$PATH sh "$tools/programs.sh" . tare-elsewhere 2>message && { echo "a package is believed"; exit 1; }
grep -q "cannot tell which programs 'tare-elsewhere' has" message
