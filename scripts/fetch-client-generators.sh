#!/usr/bin/env bash
# Installs, once, the generators of the clients for Python and Go, with what the client for Python needs, and Postman's converter.
# Prints their folder. The product depends neither on them nor on their packages.
set -euo pipefail

python=0.29.1
go=2.8.2
postman=6.3.3
# Unlike $HOME, ~ works where HOME is not set.
dir=${XDG_CACHE_HOME:-~/.cache}/cost-analytics/client-generators-$python-$go-$postman

if [ ! -d "$dir" ]; then
  for program in python3 go npm; do
    command -v $program >/dev/null || { echo "$0: needs $program" >&2; exit 1; }
  done
  mkdir -p "$(dirname "$dir")"
  # Beside DIR, so that mv is an atomic rename and never a copy between file systems.
  temp=$(mktemp -d "$dir.XXXXXX")
  trap 'rm -rf "$temp"' EXIT
  PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --target "$temp/python" \
    "openapi-python-client==$python" hatchling==1.33.0 pandas==3.1.1 pyarrow==26.0.1 >&2
  GOBIN=$temp go install "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v$go" >&2
  npm install --silent --no-audit --ignore-scripts --prefix "$temp/postman" "openapi-to-postmanv2@$postman" >&2
  chmod 755 "$temp"
  mv -T "$temp" "$dir"
fi
echo "$dir"
