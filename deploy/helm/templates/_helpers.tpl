{{- define "cost-analytics.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* What names one kind of process. Arguments: the root, and the process. */}}
{{- define "cost-analytics.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "cost-analytics.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "cost-analytics.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "cost-analytics.secretName" -}}
{{ .Values.secrets.existingSecret | default (include "cost-analytics.name" .) }}
{{- end }}

{{/* The names of the secret settings, as JSON. Fails if a process could not start. */}}
{{- define "cost-analytics.secretKeys" -}}
{{- $keys := keys .Values.secrets.values | sortAlpha -}}
{{- if .Values.secrets.existingSecret -}}
{{- if $keys }}{{ fail "secrets: give existingSecret with keys, or values, and not both" }}{{ end -}}
{{- $keys = .Values.secrets.keys -}}
{{- if not $keys }}{{ fail "secrets.keys: name the settings that the Secret existingSecret has" }}{{ end -}}
{{- else if .Values.secrets.keys }}{{ fail "secrets.keys: only with existingSecret" }}
{{- end -}}
{{- if eq .Values.mode "scaledOut" -}}
{{- range list "WAREHOUSE" "MASTER_KEY" "OPERATOR_KEY" -}}
{{- if not (has . $keys) }}{{ fail (printf "secrets: scaledOut needs %s" .) }}{{ end -}}
{{- end -}}
{{- range list "WAREHOUSE_DATA" "TEMPORAL_ADDRESS" -}}
{{- if not (get $.Values.settings .) }}{{ fail (printf "settings.%s: scaledOut needs it" .) }}{{ end -}}
{{- end -}}
{{- end -}}
{{ $keys | toJson }}
{{- end }}
