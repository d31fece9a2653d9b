#!/usr/bin/env bash
# Downloads the signed DuckDB extensions of the warehouse to DIR, by default the user's cache, and prints the folder. They come
# from PyPI, so that a machine that can install packages needs no other host.
set -euo pipefail

if [ $# -gt 1 ]; then
  echo "usage: $0 [DIR]" >&2
  exit 2
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# An extension loads only into the DuckDB version that it was built for: 1.5.5-r.5 of the npm package is 1.5.5.
version=$(node -p 'require(process.argv[1]).dependencies["@duckdb/node-api"].split("-")[0]' "$root/package.json")
# Unlike $HOME, ~ works where HOME is not set.
dir=${1:-${XDG_CACHE_HOME:-~/.cache}/cost-analytics/duckdb-extensions-$version}
extensions=(ducklake postgres_scanner httpfs azure)

missing=()
for extension in "${extensions[@]}"; do
  [ -s "$dir/$extension.duckdb_extension" ] || missing+=("$extension")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "$dir"
  exit 0
fi

if python3 -m pip --version >/dev/null 2>&1; then
  pip=(python3 -m pip)
elif command -v python3 >/dev/null && command -v pip >/dev/null; then
  pip=(pip)
else
  echo "$0: needs python3 with pip to download the DuckDB extensions (on Debian: python3-pip)" >&2
  exit 1
fi

mkdir -p "$dir"
# Inside DIR, so that mv is an atomic rename and never a copy between file systems.
temp=$(mktemp -d "$dir/.fetch.XXXXXX")
trap 'rm -rf "$temp"' EXIT

for extension in "${missing[@]}"; do
  "${pip[@]}" download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$temp" \
    "duckdb-extension-${extension//_/-}==$version"
  python3 -m zipfile -e "$temp/duckdb_extension_$extension-$version"-*.whl "$temp"
  mv "$temp/duckdb_extension_$extension/extensions/v$version/$extension.duckdb_extension" "$dir/"
done
echo "$dir"
