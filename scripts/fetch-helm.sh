#!/usr/bin/env bash
# Builds with Go, once, what checks the Helm chart: helm, and kubectl-validate, which has the schemas of Kubernetes. Adds the schema
# of ServiceMonitor, which is one of the Prometheus Operator. Prints the folder of all three.
set -euo pipefail

helm=4.3.1
validate=0.0.4
operator=0.85.0
# Unlike $HOME, ~ works where HOME is not set.
dir=${XDG_CACHE_HOME:-~/.cache}/cost-analytics/helm-$helm-$validate-$operator

if [ ! -d "$dir" ]; then
  command -v go >/dev/null || { echo "$0: needs Go to build helm" >&2; exit 1; }
  mkdir -p "$(dirname "$dir")"
  # Beside DIR, so that mv is an atomic rename and never a copy between file systems.
  temp=$(mktemp -d "$dir.XXXXXX")
  trap 'rm -rf "$temp"' EXIT
  GOBIN=$temp go install "helm.sh/helm/v4/cmd/helm@v$helm" >&2
  GOBIN=$temp go install "sigs.k8s.io/kubectl-validate@v$validate" >&2
  module=$(go mod download -json "github.com/prometheus-operator/prometheus-operator@v$operator" |
    sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p')
  install -D -m 644 -t "$temp/crds" "$module/example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml"
  chmod 755 "$temp"
  mv -T "$temp" "$dir"
fi
echo "$dir"
