#!/usr/bin/env bash
# Builds the S3 server of the tests with Go, once, and prints its path.
set -euo pipefail

version=1.8.0
# Unlike $HOME, ~ works where HOME is not set.
dir=${XDG_CACHE_HOME:-~/.cache}/cost-analytics/versitygw-$version

if [ ! -x "$dir/versitygw" ]; then
  command -v go >/dev/null || { echo "$0: needs Go to build versitygw" >&2; exit 1; }
  mkdir -p "$dir"
  # Inside DIR, so that mv is an atomic rename and never a copy between file systems.
  temp=$(mktemp -d "$dir/.build.XXXXXX")
  trap 'rm -rf "$temp"' EXIT
  GOBIN=$temp go install "github.com/versity/versitygw/cmd/versitygw@v$version" >&2
  mv "$temp/versitygw" "$dir/versitygw"
fi
echo "$dir/versitygw"
