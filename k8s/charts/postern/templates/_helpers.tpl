{{- define "postern.labels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/part-of: postern
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* The value in the cluster's Secret if it exists, otherwise the given value: an upgrade must not change a key. */}}
{{- define "postern.kept" -}}
{{- $present := (lookup "v1" "Secret" .root.Release.Namespace .secret) | default dict -}}
{{- $value := index (get $present "data" | default dict) .key | default "" -}}
{{- if $value }}{{ $value }}{{ else }}{{ .value | b64enc }}{{ end -}}
{{- end }}
