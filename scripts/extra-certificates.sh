#!/usr/bin/env bash
# Copies the certificates that this machine trusts beyond the usual ones into a directory, one file each, so that an
# image made here can reach what this machine can reach. Copies nothing where there are none.
#
# usage: scripts/extra-certificates.sh DIRECTORY
#   NODE_EXTRA_CA_CERTS   a file with further certificates, copied unless it is the system's own bundle
set -euo pipefail

into=${1:?usage: extra-certificates.sh DIRECTORY}
mkdir -p "$into"
for file in /usr/local/share/ca-certificates/*.crt; do
  if [ -f "$file" ]; then install -m 0644 "$file" "$into/"; fi
done

bundle=${NODE_EXTRA_CA_CERTS:-}
case "$bundle" in
  "" | /etc/ssl/certs/ca-certificates.crt | /etc/pki/tls/certs/ca-bundle.crt) ;;
  *)
    [ -f "$bundle" ] || { echo "NODE_EXTRA_CA_CERTS names no file" >&2; exit 1; }
    awk -v into="$into" '/BEGIN CERTIFICATE/ { n++ } n { print > (into "/extra-" n ".crt") }' "$bundle"
    ;;
esac
