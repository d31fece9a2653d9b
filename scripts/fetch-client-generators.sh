#!/usr/bin/env bash
# Installs, once, the generators of the clients for Python and Go, with what the client for Python needs,
# and prints their folder.
set -euo pipefail

python=0.29.1
go=2.8.2
# Unlike $HOME, ~ works where HOME is not set.
dir=${XDG_CACHE_HOME:-~/.cache}/cost-analytics/client-generators-$python-$go

if [ ! -d "$dir" ]; then
  for program in python3 go; do
    command -v $program >/dev/null || { echo "$0: needs $program" >&2; exit 1; }
  done
  mkdir -p "$(dirname "$dir")"
  # Beside DIR, so that mv is an atomic rename and never a copy between file systems.
  temp=$(mktemp -d "$dir.XXXXXX")
  trap 'rm -rf "$temp"' EXIT
  PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --target "$temp/python" \
    "openapi-python-client==$python" pandas==3.1.1 pyarrow==26.0.1 >&2
  GOBIN=$temp go install "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v$go" >&2
  chmod 755 "$temp"
  mv -T "$temp" "$dir"
fi
echo "$dir"
