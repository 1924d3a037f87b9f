#!/bin/sh
# sh install.sh [--key <minisign public key>] postern-<version>-linux-<arch>.tar.zst
#
# Verifies the archive and each file in it, unpacks it to /opt/postern/releases/<version>, and installs the command
# `postern`. Changes nothing that runs: `postern install` or `postern upgrade <version>` does.
set -eu
fail() { echo "install.sh: $1" >&2; exit 1; }

key=
if [ "${1-}" = --key ]; then key=${2-}; shift 2 || fail 'usage: sh install.sh [--key <minisign public key>] <archive>'; fi
archive=${1-}
[ -n "$archive" ] || fail 'usage: sh install.sh [--key <minisign public key>] postern-<version>-linux-<arch>.tar.zst'
[ "$(id -u)" = 0 ] || fail 'run it as root, for example with sudo'
[ -f "$archive" ] || fail "$archive does not exist"
[ -d /run/systemd/system ] || fail 'this system was not started by systemd, which Postern needs'
for program in tar zstd sha256sum; do
  command -v $program > /dev/null || fail "$program is missing: apt-get install tar zstd coreutils"
done

name=$(basename "$archive" .tar.zst)
version=$(echo "$name" | sed -n 's/^postern-\(.*\)-linux-[a-z0-9]*$/\1/p')
[ -n "$version" ] || fail "$archive is not called postern-<version>-linux-<arch>.tar.zst"
case "$(uname -m)" in x86_64) machine=x64 ;; aarch64) machine=arm64 ;; *) machine=$(uname -m) ;; esac
[ "${name##*-}" = "$machine" ] || fail "$archive is for ${name##*-}, and this machine is $machine"

[ -f "$archive.sha256" ] || fail "$archive.sha256 is missing; download it, too"
(cd "$(dirname "$archive")" && sha256sum --check --status "$(basename "$archive").sha256") ||
  fail "$archive is damaged: its SHA-256 is not the one in $archive.sha256. Download it again."
if [ -n "$key" ]; then
  command -v minisign > /dev/null || fail 'minisign is missing: apt-get install minisign'
  minisign -V -q -P "$key" -m "$archive" || fail "$archive is not signed with this key"
fi

target=/opt/postern/releases/$version
umask 022
mkdir -p /opt/postern/releases
if [ ! -d "$target" ]; then
  rm -rf "$target.partial"
  mkdir "$target.partial"
  tar --extract --zstd --no-same-owner --strip-components=1 --file "$archive" --directory "$target.partial"
  (cd "$target.partial" && sha256sum --check --quiet SHA256SUMS) || fail "files in $archive are damaged"
  mv "$target.partial" "$target"
fi
(cd "$target" && sha256sum --check --quiet SHA256SUMS) ||
  fail "files in $target were changed. Delete the folder, and run this again."

[ -e /opt/postern/current ] || ln -s "releases/$version" /opt/postern/current
ln -sfn /opt/postern/current/bin/postern /usr/local/bin/postern
echo "Postern $version is in $target."
if [ "$(readlink /opt/postern/current)" = "releases/$version" ]; then
  echo "Write /etc/postern/config.yaml, then run: postern install"
else
  echo "To change to it, run: postern upgrade $version"
fi
