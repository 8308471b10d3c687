#!/bin/sh
# peers.sh FOLDER: fetches ONNX Runtime's library into FOLDER, once, and prints its path. It comes from the
# npm registry's package of one version, whose checksum is known. Exit 1 with a sentence where that fails.
set -eu
folder=$1
version=1.30.0
package=onnxruntime-node-$version.tgz
sha512=$(printf %s \
  twhs1C2C/BFkz1yc5OY0KIU2GUq6DURO7hD4bx5Q2Qy3nAMJwRXW8xU3NVczE29VA9lolLOYepoD8fjTGOfIqw== |
  base64 -d | od -An -v -tx1 | tr -d ' \n')
case $(uname -m) in
x86_64) machine=x64 ;;
aarch64) machine=arm64 ;;
*)
  echo "peers.sh: no ONNX Runtime for $(uname -m)" >&2
  exit 1
  ;;
esac
library=$folder/onnxruntime-$version/libonnxruntime.so.1
if [ -f "$library" ]; then
  echo "$library"
  exit 0
fi
mkdir -p "$folder/onnxruntime-$version"
curl -fsSL --connect-timeout 20 --speed-limit 10000 --speed-time 30 --max-time 300 --retry 2 \
  -o "$folder/$package" \
  "https://registry.npmjs.org/onnxruntime-node/-/$package" || {
  echo "peers.sh: cannot fetch $package from registry.npmjs.org" >&2
  exit 1
}
echo "$sha512  $folder/$package" | sha512sum -c --status || {
  echo "peers.sh: $folder/$package has another checksum than that of version $version" >&2
  exit 1
}
tar -xzf "$folder/$package" -C "$folder/onnxruntime-$version" --strip-components=5 \
  "package/bin/napi-v6/linux/$machine"
rm -f "$folder/$package"
[ -f "$library" ] || {
  echo "peers.sh: $package has no libonnxruntime.so.1 for $machine" >&2
  exit 1
}
echo "$library"
