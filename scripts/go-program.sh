#!/usr/bin/env bash
# go-program.sh NAME VERSION PACKAGE [FLAG…] builds a program of the tests with Go, once, and prints its path.
set -euo pipefail

name=$1 version=$2 package=$3
shift 3
# Unlike $HOME, ~ works where HOME is not set.
dir=${XDG_CACHE_HOME:-~/.cache}/cost-analytics/$name-$version

if [ ! -x "$dir/$name" ]; then
  command -v go >/dev/null || { echo "$0: needs Go to build $name" >&2; exit 1; }
  mkdir -p "$dir"
  # Inside DIR, so that mv is an atomic rename and never a copy between file systems.
  temp=$(mktemp -d "$dir/.build.XXXXXX")
  trap 'rm -rf "$temp"' EXIT
  GOBIN=$temp go install "$@" "$package" >&2
  mv "$temp/$name" "$dir/$name"
fi
echo "$dir/$name"
