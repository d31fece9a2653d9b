#!/usr/bin/env bash
# Runs COMMAND with a temporary Postgres cluster, which TEST_POSTGRES names. Removes the cluster when COMMAND ends.
# With --find it only prints the folder of the Postgres binaries, and fails if there are none.
set -euo pipefail

find_postgres() {
  local candidate
  # Debian keeps the server binaries out of PATH. The newest version comes first.
  for candidate in "$(dirname "$(command -v pg_ctl)")" $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV); do
    if [ -x "$candidate/pg_ctl" ] && [ -x "$candidate/initdb" ]; then
      echo "$candidate"
      break
    fi
  done
}

if [ $# -eq 0 ]; then
  echo "usage: $0 COMMAND… | --find" >&2
  exit 2
fi
bin=$(find_postgres)
if [ -z "$bin" ]; then
  echo "$0: no Postgres binaries (pg_ctl, initdb) in PATH or in /usr/lib/postgresql/*/bin" >&2
  exit 1
fi
if [ "$1" = --find ]; then
  echo "$bin"
  exit 0
fi

# Not in TMPDIR: the path of a Unix socket is limited to about 100 bytes, and the server's user must reach it.
dir=$(mktemp -d /tmp/cost-analytics-pg.XXXXXX)

owner=''
if [ "$(id -u)" -eq 0 ]; then
  # The server refuses to run as root.
  owner=nobody
  if id postgres >/dev/null 2>&1; then owner=postgres; fi
  chown "$owner" "$dir"
fi

as_owner() {
  # The owner may not be allowed into the caller's folder.
  cd "$dir"
  if [ -z "$owner" ]; then
    "$@"
  elif command -v runuser >/dev/null; then
    runuser -u "$owner" -- "$@"
  else
    su -s /bin/sh "$owner" -c "$(printf '%q ' "$@")"
  fi
}

cleanup() {
  if [ -e "$dir/data/postmaster.pid" ]; then
    (as_owner "$bin/pg_ctl" stop -D "$dir/data" -m immediate) >/dev/null || true
  fi
  rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

if ! (as_owner "$bin/initdb" -D "$dir/data" -U postgres --auth=trust --no-locale --encoding=UTF8 --no-sync) \
  >"$dir/initdb.log" 2>&1; then
  cat "$dir/initdb.log" >&2
  exit 1
fi

free_port() {
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); });'
}

# Another process may take the free port before the server does, so try again with another one.
started=false
for _ in 1 2 3 4 5; do
  port=$(free_port)
  if (as_owner "$bin/pg_ctl" start -D "$dir/data" -l "$dir/data/server.log" -t 60 \
    -o "-c listen_addresses=127.0.0.1 -c unix_socket_directories=$dir -c fsync=off -p $port") >/dev/null 2>&1; then
    started=true
    break
  fi
done
if [ $started = false ]; then
  cat "$dir/data/server.log" >&2 || true
  echo "$0: the Postgres server did not start" >&2
  exit 1
fi

export TEST_POSTGRES="host=127.0.0.1 port=$port user=postgres"
"$@"
