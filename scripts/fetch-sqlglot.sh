#!/usr/bin/env bash
# Installs sqlglot, once, to the user's cache, and prints its folder. Tests translate queries of BigQuery to DuckDB with it. The
# product does not depend on it.
set -euo pipefail

version=30.30.0
# Unlike $HOME, ~ works where HOME is not set.
dir=${XDG_CACHE_HOME:-~/.cache}/cost-analytics/sqlglot-$version

if [ ! -d "$dir" ]; then
  command -v python3 >/dev/null && python3 -m pip --version >/dev/null 2>&1 ||
    { echo "$0: needs python3 with pip" >&2; exit 1; }
  mkdir -p "$(dirname "$dir")"
  # Beside DIR, so that mv is an atomic rename and never a copy between file systems.
  temp=$(mktemp -d "$dir.XXXXXX")
  trap 'rm -rf "$temp"' EXIT
  PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --no-deps --target "$temp/python" "sqlglot==$version" >&2
  mv -T "$temp/python" "$dir"
fi
echo "$dir"
