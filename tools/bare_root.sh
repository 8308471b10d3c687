# shellcheck shell=sh
# Bare roots of Debian 12, as machines have it on which nothing was installed by hand. Sourced; needs root.
set -eu

# bare_make ROOT PACKAGES: what `debootstrap --variant=minbase` puts into ROOT, and from this machine the way to the
# network alone. Packages are kept in the folder PACKAGES for the next time.
bare_make() {
  mkdir -p "$1" "$2"
  debootstrap --variant=minbase --cache-dir="$(cd "$2" && pwd)" bookworm "$1" >"$1.log" 2>&1 || {
    tail -n 5 "$1.log" >&2
    return 5
  }
  rm "$1.log"
  cp /etc/resolv.conf "$1/etc/resolv.conf"
  # Of networks whose gateways have certificates of their own
  mkdir -p "$1/usr/local/share/ca-certificates"
  find /usr/local/share/ca-certificates -name '*.crt' -exec cp -t "$1/usr/local/share/ca-certificates" {} + 2>/dev/null || true
}

# bare_run ROOT SCRIPT [FOLDER PLACE]...: runs SCRIPT by sh in ROOT, with nothing of the environment here but the way to
# the network, and each FOLDER at PLACE. Mounts are gone with it, also where it is killed.
bare_run() {
  unshare --mount --propagation private sh -euc '
    root=$1 script=$2
    shift 2
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    while [ $# -gt 0 ]; do
      mkdir -p "$root/$2"
      mount --bind "$1" "$root/$2"
      shift 2
    done
    exec chroot "$root" env -i ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} HOME=/root \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C sh -euc "$script"' sh "$@"
}
