{{/* The Deployment of one kind of process. Arguments: the root, its command, its replicas, and its resources. */}}
{{- define "cost-analytics.deployment" -}}
{{- $root := index . 0 -}}
{{- $command := index . 1 -}}
{{- $embedded := eq $command "start" -}}
{{- $worker := eq $command "worker" -}}
{{- $keys := include "cost-analytics.secretKeys" $root | fromJsonArray -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "cost-analytics.name" $root }}-{{ $command }}
  labels:
    {{- include "cost-analytics.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ $command }}
spec:
  replicas: {{ index . 2 }}
  {{- if $embedded }}
  # Two processes cannot share a volume with a DuckDB file.
  strategy: { type: Recreate }
  {{- else }}
  # Two versions must not run at once: stop all processes before an upgrade that changes the tables.
  strategy: { type: RollingUpdate, rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }
  {{- end }}
  selector:
    matchLabels:
      {{- include "cost-analytics.selector" (list $root $command) | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "cost-analytics.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ $command }}
      annotations:
        {{- /* A process reads its secrets at its start. */}}
        checksum/secrets: {{ toJson $root.Values.secrets.values | sha256sum }}
        {{- with $root.Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "cost-analytics.name" $root }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ $root.Values.terminationGracePeriodSeconds }}
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        runAsGroup: 1000
        fsGroup: 1000
        fsGroupChangePolicy: OnRootMismatch
        seccompProfile: { type: RuntimeDefault }
      {{- if not $embedded }}
      topologySpreadConstraints:
        {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - topologyKey: {{ . }}
          maxSkew: 1
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "cost-analytics.selector" (list $root $command) | nindent 14 }}
        {{- end }}
      {{- end }}
      {{- with $root.Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $root.Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: cost-analytics
          image: {{ include "cost-analytics.image" $root }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [{{ $command }}]
          env:
            - { name: METRICS_PORT, value: '9464' }
            {{- range $name, $value := $root.Values.settings }}
            - { name: {{ $name }}, value: {{ $value | toString | quote }} }
            {{- end }}
            {{- range $keys }}
            - { name: {{ . }}_FILE, value: /run/secrets/cost-analytics/{{ . }} }
            {{- end }}
          ports:
            {{- if not $worker }}
            - { name: http, containerPort: 8080 }
            {{- end }}
            - { name: metrics, containerPort: 9464 }
          # An upgrade of the warehouse takes minutes, and other processes wait up to ten minutes for it.
          startupProbe:
            httpGet: { path: /livez, port: {{ $worker | ternary "metrics" "http" }} }
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 240
          livenessProbe:
            httpGet: { path: /livez, port: {{ $worker | ternary "metrics" "http" }} }
            periodSeconds: 15
            timeoutSeconds: 5
            failureThreshold: 8
          # A worker gets no requests.
          readinessProbe:
            httpGet: { path: {{ $worker | ternary "/livez" "/readyz" }}, port: {{ $worker | ternary "metrics" "http" }} }
            periodSeconds: 5
            timeoutSeconds: 5
          {{- if not $worker }}
          # Until the Service no longer sends requests here.
          lifecycle:
            preStop: { exec: { command: [sleep, '5'] } }
          {{- end }}
          resources:
            {{- toYaml (index . 3) | nindent 12 }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          volumeMounts:
            - { name: data, mountPath: /data }
            - { name: tmp, mountPath: /tmp }
            {{- if and (not $embedded) $root.Values.exports.existingClaim }}
            - { name: exports, mountPath: /data/exports }
            {{- end }}
            {{- if $keys }}
            - { name: secrets, mountPath: /run/secrets/cost-analytics, readOnly: true }
            {{- end }}
      volumes:
        - name: data
          {{- if $embedded }}
          persistentVolumeClaim:
            claimName: {{ $root.Values.persistence.existingClaim | default (include "cost-analytics.name" $root) }}
          {{- else }}
          emptyDir: {}
          {{- end }}
        - name: tmp
          emptyDir: {}
        {{- if and (not $embedded) $root.Values.exports.existingClaim }}
        - name: exports
          persistentVolumeClaim: { claimName: {{ $root.Values.exports.existingClaim }} }
        {{- end }}
        {{- if $keys }}
        - name: secrets
          # 288 is 0440: only the user and the group of the process.
          secret: { secretName: {{ include "cost-analytics.secretName" $root | trim }}, defaultMode: 288 }
        {{- end }}
{{- end }}
