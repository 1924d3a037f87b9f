{{- define "service.name" -}}
{{ .Values.fullnameOverride | default .Values.app }}
{{- end }}

{{/* Without the release name: selectors are immutable, and a service may move from one Helm release to another. */}}
{{- define "service.selector" -}}
app.kubernetes.io/name: {{ .Values.app }}
app.kubernetes.io/instance: {{ include "service.name" . }}
{{- end }}

{{/* Pod labels have the service version but not the chart version: a new chart version alone must not restart pods. */}}
{{- define "service.podLabels" -}}
{{ include "service.selector" . }}
app.kubernetes.io/part-of: postern
app.kubernetes.io/version: {{ include "service.tag" . | trunc 63 | quote }}
{{- end }}

{{- define "service.labels" -}}
{{ include "service.podLabels" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" "postern-service" .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The annotations of an object: those of all objects, and its own, which take precedence. */}}
{{- define "service.annotations" -}}
{{- with merge (dict) (.own | default dict) .root.Values.commonAnnotations -}}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end }}

{{/* Changes with the Secrets that environment variables come from, so that pods restart. Empty without a cluster. */}}
{{- define "service.secretsChecksum" -}}
{{- $found := dict -}}
{{- range $variable, $reference := .Values.secrets -}}
{{- $secret := lookup "v1" "Secret" $.Release.Namespace $reference.name -}}
{{- if $secret -}}
{{- $_ := set $found $variable (index ($secret.data | default dict) $reference.key | default "") -}}
{{- end -}}
{{- end -}}
{{- if $found }}{{ toJson $found | sha256sum }}{{ end -}}
{{- end }}

{{/* The version of the service: the tag, or the start of the digest if there is no tag. */}}
{{- define "service.tag" -}}
{{- $tag := .Values.image.tag | default .Values.global.image.tag | default (.Values.image.digest | trunc 19 | replace ":" "-") -}}
{{ required (printf "image.tag names the release of %s; global.image.tag that of all services" .Values.app) $tag }}
{{- end }}

{{/* Fails for a name without a registry: it would refer to Docker Hub, which has no images of Postern. */}}
{{- define "service.image" -}}
{{- $repository := .Values.image.repository | default (printf "postern/%s" .Values.app) -}}
{{- if .Values.global.image.registry -}}
{{- $repository = printf "%s/%s" (trimSuffix "/" .Values.global.image.registry) $repository -}}
{{- else if not (regexMatch "^(localhost|[^/]*[.:][^/]*)/" $repository) -}}
{{- fail "global.image.registry names the registry that Postern's images come from, as in registry.example.com" -}}
{{- end -}}
{{- if .Values.image.digest -}}
{{ $repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $repository }}:{{ include "service.tag" . }}
{{- end -}}
{{- end }}

{{- define "service.natsServers" -}}
{{- if .Values.global.trial.nats -}}
tls://postern-nats:4222
{{- else -}}
{{ required "global.nats.servers names the NATS servers, as in tls://nats.messaging:4222" .Values.global.nats.servers }}
{{- end -}}
{{- end }}

{{/* An environment variable from a Secret. The PostgreSQL of a trial has one URL per service. */}}
{{- define "service.secretVariable" -}}
{{- $reference := .reference -}}
{{- if and (eq .variable "POSTERN_DATABASE_URL") .root.Values.global.trial.postgresql -}}
{{- $reference = dict "name" "postern-postgresql" "key" (printf "%s-url" .root.Values.app) -}}
{{- end -}}
{{- $shared := .root.Values.global.nats.sharedSecret -}}
{{- if and $shared (has .variable (list "POSTERN_NATS_USER" "POSTERN_NATS_PASSWORD")) -}}
{{- $reference = dict "name" $shared "key" $reference.key -}}
{{- end -}}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ $reference.name }}
      key: {{ $reference.key }}
      {{- if $reference.optional }}
      optional: true
      {{- end }}
{{- end }}

{{/* The Secret with the certificate authority of NATS; a trial has one of its own. */}}
{{- define "service.natsTlsSecret" -}}
{{- if .Values.global.trial.nats }}postern-nats-tls{{ else }}{{ .Values.global.nats.tlsSecret }}{{ end -}}
{{- end }}

{{/* Paths of the NATS certificates in the container. */}}
{{- define "service.natsTlsVariables" -}}
{{- if .Values.global.nats.clearText }}
- name: POSTERN_NATS_CLEAR_TEXT
  value: "true"
{{- end }}
{{- if include "service.natsTlsSecret" . }}
{{- if not (contains "tls://" (include "service.natsServers" .)) }}
{{- fail "global.nats.servers begin with tls:// where global.nats.tlsSecret names the certificates" }}
{{- end }}
- name: POSTERN_NATS_CA_FILE
  value: /etc/postern/nats-tls/ca.crt
{{- if .Values.global.nats.clientCertificate }}
- name: POSTERN_NATS_CERT_FILE
  value: /etc/postern/nats-tls/tls.crt
- name: POSTERN_NATS_KEY_FILE
  value: /etc/postern/nats-tls/tls.key
{{- end }}
{{- end }}
{{- end }}

{{- define "service.containerSecurity" -}}
{{ toYaml .Values.containerSecurityContext }}
{{- end }}

{{- define "service.podSecurity" -}}
{{ toYaml .Values.podSecurityContext }}
{{- end }}

{{/* Constraints without a selector are about the pods of the service. */}}
{{- define "service.topologySpread" -}}
{{- $own := dict "matchLabels" (merge (include "service.selector" . | fromYaml) (dict "app.kubernetes.io/component" "service")) -}}
{{- range .Values.topologySpreadConstraints }}
- {{ toYaml (merge (dict) . (dict "labelSelector" $own)) | nindent 2 | trim }}
{{- end }}
{{- end }}
