#!/usr/bin/env bash
# Builds the sandbox image, named by what it is made of, and tags it handrail-sandbox:latest. Does nothing if it is there.
# Prints the name on standard output.
#
# usage: scripts/sandbox-image.sh
#   HANDRAIL_SANDBOX_BASE   base image, default node:24-bookworm-slim
set -euo pipefail

base=${HANDRAIL_SANDBOX_BASE:-node:24-bookworm-slim}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

say() { printf 'sandbox image: %s\n' "$*" >&2; }

"$here/base-image.sh" "$base"

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
cp "$here/../Dockerfile" "$context/"
"$here/extra-certificates.sh" "$context/certificates"

base_id=$(docker image inspect -f '{{ .Id }}' "$base")
parts=$(cd "$context" && find . -type f | LC_ALL=C sort | xargs sha256sum)
image=handrail-sandbox:$(printf '%s\n%s\n' "$base_id" "$parts" | sha256sum | cut -c1-16)

if docker image inspect "$image" >/dev/null 2>&1; then
  say "$image is there"
else
  say "building $image (packages are fetched; about a minute)"
  DOCKER_BUILDKIT=0 docker build --target sandbox --build-arg "BASE=$base" --tag "$image" "$context" 2>&1 |
    grep --line-buffered -E '^(Step|Successfully|E:|npm error|The command)' >&2
fi
docker tag "$image" handrail-sandbox:latest
echo "$image"
