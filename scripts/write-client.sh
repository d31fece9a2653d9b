#!/usr/bin/env bash
# Generates the code of a published client from dist/openapi.json: write-client.sh python|typescript [FOLDER]. FOLDER is a copy of
# clients/LANGUAGE, by default itself. The code is not in git, because it must fit the document: whoever packs a client generates it.
set -euo pipefail

language=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${2:-$root/clients/$language}
document=$root/dist/openapi.json
if [ ! -f "$document" ]; then
  echo "$0: needs $document: run npm run build" >&2
  exit 1
fi

case $language in
typescript)
  "$root/node_modules/.bin/openapi-typescript" "$document" --output "$folder/generated/api-types.ts"
  "$root/node_modules/.bin/tsc" --project "$folder"
  ;;
python)
  generators=${CLIENT_GENERATORS:-$("$root/scripts/fetch-client-generators.sh")}
  PYTHONPATH=$generators/python python3 -m openapi_python_client generate --path "$document" --meta none \
    --config "$folder/generator.yaml" --overwrite --output-path "$folder/cost_analytics_client/generated"
  ;;
*)
  echo "$0: expected python or typescript, got $language" >&2
  exit 1
  ;;
esac
