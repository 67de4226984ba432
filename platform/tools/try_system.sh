#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tries Spica on a bare Debian: makes a root of nothing but Debian's minimal system, clones the last commit into it, runs
# `./spica gemm` and `./spica gemm --design tc-dma`, and compares what they print with the documented output.
#
#   platform/tools/try_system.sh SUITE [--tests] [--root FOLDER]
#
# SUITE: bookworm or trixie. --tests: ./spica test -C Long, too. --root: make or reuse the root there, and keep it; else it is in
# /var/tmp and removed. Needs root's rights, debootstrap and git. SPICA_MIRROR: another mirror than deb.debian.org.
# Exit codes: 0 the same, 1 not the same or a command failed, 2 a wrong argument or something missing.
set -eu

top=$(cd "$(dirname -- "$0")/../.." && pwd)
suite="" tests=no root="" keep=no
while [ $# -gt 0 ]; do
  case $1 in
    --tests) tests=yes ;;
    --root) keep=yes root=${2:?--root takes a folder} && shift ;;
    -*) echo "try_system: unknown option $1" >&2; exit 2 ;;
    *) suite=$1 ;;
  esac
  shift
done
[ -n "$suite" ] || { sed -n 's/^# \{0,1\}//; 4,12p' "$0" >&2; exit 2; }
for tool in debootstrap git chroot; do
  command -v "$tool" >/dev/null || { echo "try_system: $tool is missing" >&2; exit 2; }
done
[ "$(id -u)" = 0 ] || { echo 'try_system: only root can make another root' >&2; exit 2; }

[ -n "$root" ] || root=$(mktemp -d "/var/tmp/spica-$suite.XXXXXX")
mkdir -p "$root"
mounted=""
leave() {
  for place in $mounted; do umount -l "$root/$place"; done
  [ "$keep" = yes ] || rm -rf --one-file-system "$root"
}
trap leave EXIT
trap 'exit 1' INT TERM HUP

if [ ! -x "$root/bin/sh" ]; then
  echo "== $suite: a bare root in $root"
  debootstrap --variant=minbase "$suite" "$root" "${SPICA_MIRROR:-http://deb.debian.org/debian}" >"$root.debootstrap" 2>&1 ||
    { tail "$root.debootstrap"; exit 1; }
  rm -f "$root.debootstrap"
fi
for place in proc dev; do
  mount --rbind "/$place" "$root/$place"
  mounted="$place $mounted"
done
cp /etc/resolv.conf "$root/etc/resolv.conf"
printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(hostname)" >"$root/etc/hosts"  # as Debian's installer writes it
megabytes() { du -xsm --exclude=spica --exclude=home --exclude=root --exclude=apt "$root" | cut -f1; }  # without caches
inside() {
  env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 http_proxy="${http_proxy:-}" chroot "$root" "$@"
}

rm -rf "$root/spica"
git clone --quiet --no-hardlinks "$top" "$root/spica"
echo "== $(git -C "$root/spica" log -1 --format='commit %h: %s')"
bare=$(megabytes)

# What the README shows as output, up to the line "...", must be among what is printed.
sed -n '/^<!-- output -->/,/^ *\.\.\./{/^gemm /p;/^  [a-z]* .*[0-9]/p}' "$top/README.md" >"$root/expected"
[ -s "$root/expected" ] || { echo 'try_system: the README shows no output' >&2; exit 1; }
echo '== ./spica --yes gemm'
inside bash -c 'cd /spica && time ./spica --yes gemm' >"$root/printed" 2>"$root/errors" ||
  { tail -n 40 "$root/errors"; exit 1; }
cat "$root/printed"
differs=no
while IFS= read -r line; do
  grep -qxF -e "$line" "$root/printed" || { echo "try_system: the README has: $line" >&2; differs=yes; }
done <"$root/expected"
echo '== ./spica gemm --design tc-dma'
inside bash -c 'cd /spica && ./spica gemm --design tc-dma' | sed -n 1,4p

echo "== $suite"
# shellcheck disable=SC2016  # expanded inside
inside sh -c '. /etc/os-release; echo "system            $PRETTY_NAME"; echo "host compiler     $(c++ --version | head -n 1)"
  echo "SystemC           $(pkg-config --modversion systemc)"; echo "guest compiler    $(clang-19 --version | head -n 1)"'
echo "packages          $(($(megabytes) - bare)) MB"
echo "first command     $(sed -n 's/^real\t//p' "$root/errors") elapsed, $(sed -n 's/^user\t//p' "$root/errors") user"
if [ "$tests" = yes ]; then
  echo '== ./spica --yes test -C Long'
  inside bash -c 'cd /spica && ./spica --yes test -C Long' || differs=yes
fi
[ "$differs" = no ]
