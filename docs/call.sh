# Sends one request with the key in $KEY to the service at $API, and prints the answer: call METHOD PATH [JSON]
call() {
  if [ $# -lt 3 ]; then curl -s -w '\n' -X "$1" -H "X-API-Key: $KEY" "$API$2"
  else curl -s -w '\n' -X "$1" -H "X-API-Key: $KEY" -H 'Content-Type: application/json' -d "$3" "$API$2"; fi
}
