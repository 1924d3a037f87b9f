module postern.invalid/k8s/check/node/pause

go 1.26.0
