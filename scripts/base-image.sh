#!/usr/bin/env bash
# Makes sure that the base image of the sandbox is there: pulls it, or, where no registry answers, makes it under the
# same tag from Debian packages and the Node binary of the npm registry. The result looks like the public image: Debian,
# node and npm in /usr/local, user `node` with uid 1000.
#
# usage: scripts/base-image.sh [TAG]
#   TAG                        default node:24-bookworm-slim; the number after `node:` chooses the Node version
#   HANDRAIL_CACHE_DIR         where the made image is kept, default ~/.cache/handrail
#   HANDRAIL_DEBIAN_MIRROR     default http://deb.debian.org/debian
#   HANDRAIL_PULL_SECONDS      time limit of the pull, default 120
set -euo pipefail

tag=${1:-node:24-bookworm-slim}
cache=${HANDRAIL_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/handrail}
mirror=${HANDRAIL_DEBIAN_MIRROR:-http://deb.debian.org/debian}
suite=bookworm
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

say() { printf 'base image: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

recipe=$(cat "${BASH_SOURCE[0]}" "$here/extra-certificates.sh" | sha256sum | cut -c1-16)

if docker image inspect "$tag" >/dev/null 2>&1; then
  made=$(docker image inspect -f '{{ index .Config.Labels "handrail.base" }}' "$tag")
  if [ -z "$made" ] || [ "$made" = "$recipe" ] || [ "$made" = "<no value>" ]; then
    say "$tag is there"
    exit 0
  fi
  say "$tag was made by another version of this script; making it again"
fi
docker version >/dev/null 2>&1 || fail "the Docker engine does not answer; start it, then run this again"

say "pulling $tag"
if timeout "${HANDRAIL_PULL_SECONDS:-120}" docker pull "$tag" >/dev/null 2>&1; then
  say "pulled $tag"
  exit 0
fi
say "$tag cannot be pulled; making it from packages"

major=$(sed -n 's/^.*node:\([0-9][0-9]*\).*$/\1/p' <<<"$tag")
[ -n "$major" ] || fail "cannot tell the Node version from the tag \"$tag\"; name it like node:24-bookworm-slim"
case "$(uname -m)" in
  x86_64) arch=x64 ;;
  aarch64) arch=arm64 ;;
  *) fail "no recipe for a $(uname -m) machine; provide the image $tag yourself" ;;
esac

archive=$cache/base-$recipe-$major-$arch.tar
mkdir -p "$cache"

make_archive() {
  [ "$(id -u)" = 0 ] || fail "making a base image needs root; or load $tag by \`docker load\`"
  for program in debootstrap npm tar; do
    command -v "$program" >/dev/null || fail "making a base image needs $program; install it, or load $tag by \`docker load\`"
  done
  work=$(mktemp -d "$cache/base.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  root=$work/root

  say "1/4 Debian $suite by debootstrap"
  debootstrap --variant=minbase --include=ca-certificates,libstdc++6,libatomic1 "$suite" "$root" "$mirror" \
    >"$work/debootstrap.log" 2>&1 || { tail -n 20 "$work/debootstrap.log" >&2; fail "debootstrap failed"; }
  cat >"$root/etc/apt/sources.list" <<SOURCES
deb $mirror $suite main
deb $mirror $suite-updates main
deb ${mirror%/debian}/debian-security $suite-security main
SOURCES

  say "2/4 extra certificates of this machine"
  "$here/extra-certificates.sh" "$root/usr/local/share/ca-certificates"
  chroot "$root" update-ca-certificates >/dev/null 2>&1

  say "3/4 Node $major and npm from the npm registry"
  (cd "$work" && npm pack --silent "node-linux-$arch@$major" "npm@11" >/dev/null)
  tar -xzf "$work"/node-linux-*.tgz -C "$work" package/bin/node
  install -m 0755 "$work/package/bin/node" "$root/usr/local/bin/node"
  mkdir -p "$root/usr/local/lib/node_modules/npm"
  tar -xzf "$work"/npm-*.tgz -C "$root/usr/local/lib/node_modules/npm" --strip-components=1 --no-same-owner
  chown -R root:root "$root/usr/local/lib/node_modules"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
  chroot "$root" groupadd --gid 1000 node
  chroot "$root" useradd --uid 1000 --gid node --shell /bin/bash --create-home node
  version=$(chroot "$root" node --version)

  say "4/4 packing Node $version"
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/var/log/*.log
  rm -f "$root/etc/resolv.conf" "$root/etc/hostname"
  tar --numeric-owner -C "$root" -cf "$work/base.tar" .
  mv "$work/base.tar" "$archive"
}

[ -s "$archive" ] || (make_archive)
say "importing $tag"
docker import \
  --change "LABEL handrail.base=$recipe" \
  --change "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
  --change 'CMD ["node"]' \
  "$archive" "$tag" >/dev/null
say "made $tag"
