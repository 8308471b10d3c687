#!/bin/sh
# Prints a bill of materials (CycloneDX 1.5, JSON) of Debian packages: what they contain, and the
# packages that they depend on with the versions of this machine, where they were built.
# Usage: sh tools/sbom.sh PACKAGE.deb... > tare.cdx.json
set -eu
. "$(dirname "$0")/usage.sh"
tare_takes $# "$@"
[ $# -gt 0 ] || tare_misuse "no package"
for program in dpkg-deb dpkg-query jq sha256sum; do
  command -v $program >/dev/null || {
    echo "sbom.sh: no $program: install dpkg and jq" >&2
    exit 5
  }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
distribution=debian-$(. /etc/os-release && echo "$VERSION_ID")

component() { # NAME VERSION ARCHITECTURE LICENCE SHA256: "" for what is not known
  jq -n --arg name "$1" --arg version "$2" --arg arch "$3" --arg licence "$4" --arg hash "$5" \
    --arg distribution "$distribution" '
    ("pkg:deb/debian/" + ($name | @uri) + "@" + ($version | @uri) + "?arch=" + $arch + "&distro=" + $distribution)
    as $purl
    | {type: "library", "bom-ref": $purl, name: $name, version: $version, purl: $purl}
    + (if $licence == "" then {} else {licenses: [{license: {id: $licence}}]} end)
    + (if $hash == "" then {} else {hashes: [{alg: "SHA-256", content: $hash}]} end)'
}

reference() { # the "bom-ref" of an object
  jq -r '."bom-ref"'
}

# The installed package that fulfils a dependency "NAME (>= 1) | OTHER".
fulfils() {
  echo "$1" | tr '|' '\n' | sed 's/(.*//; s/ //g' | while read -r name; do
    dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Version} ${Architecture}\n' "$name" 2>/dev/null |
      awk '$1 == "ii" {print $2, $3, $4; exit}'
  done | head -n 1
}

for deb in "$@"; do
  name=$(dpkg-deb -f "$deb" Package)
  sum=$(sha256sum "$deb" | cut -d ' ' -f 1)
  component "$name" "$(dpkg-deb -f "$deb" Version)" "$(dpkg-deb -f "$deb" Architecture)" Apache-2.0 "$sum" \
    >"$folder/own-$name.json"
done
# Chart.js is embedded in the command, for the page of reports.
for deb in "$@"; do
  name=$(dpkg-deb -f "$deb" Package)
  : >"$folder/needs-$name"
  embedded=
  [ "$name" = tare ] && embedded=libjs-chart.js
  { dpkg-deb -f "$deb" Depends | tr ',' '\n' && echo "$embedded"; } | sed '/^ *$/d' | while read -r need; do
    other=$(echo "$need" | sed 's/[ (|].*//')
    if [ -f "$folder/own-$other.json" ]; then
      reference <"$folder/own-$other.json" >>"$folder/needs-$name"
      continue
    fi
    found=$(fulfils "$need")
    [ -n "$found" ] || {
      echo "sbom.sh: $name depends on '$need', which is not installed here" >&2
      exit 1
    }
    # shellcheck disable=SC2086 # name, version and architecture
    component $found "" "" >"$folder/other-${found%% *}.json"
    reference <"$folder/other-${found%% *}.json" >>"$folder/needs-$name"
  done
  jq -R . <"$folder/needs-$name" | jq -s --arg ref "$(reference <"$folder/own-$name.json")" \
    '{ref: $ref, dependsOn: unique}' >"$folder/edges-$name.json"
done
version=$(dpkg-deb -f "$1" Version)
time=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%dT%H:%M:%SZ)
cat "$folder"/own-*.json "$folder"/other-*.json | jq -s . >"$folder/components"
cat "$folder"/edges-*.json | jq -s . >"$folder/edges"
jq -n --arg version "$version" --arg time "$time" --slurpfile components "$folder/components" \
  --slurpfile edges "$folder/edges" '{
    bomFormat: "CycloneDX", specVersion: "1.5", version: 1,
    metadata: {
      timestamp: $time,
      tools: {components: [{type: "application", name: "tools/sbom.sh", version: $version}]},
      component: {type: "application", "bom-ref": "tare", name: "tare", version: $version,
                  licenses: [{license: {id: "Apache-2.0"}}]}},
    components: $components[0],
    dependencies: ([{ref: "tare", dependsOn: [$edges[0][].ref]}] + $edges[0])}'
