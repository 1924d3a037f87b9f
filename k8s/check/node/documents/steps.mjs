/** Words by which the stage `documents` finds each block of commands that it runs. */
export const MANUAL = {
  path: 'docs/kubernetes.md',
  blocks: {
    dependencies: 'helm dependency build k8s/charts/postern',
    trial: '-f k8s/examples/trial.yaml',
    secrets: 'kubectl create secret generic postern-links',
    install: '-f k8s/examples/brokers.yaml --wait --timeout 10m',
    ingress: '-f k8s/examples/ingress.yaml',
    gateway: '-f k8s/examples/gateway-api.yaml',
    monitoring: '-f k8s/examples/monitoring.yaml',
    queues: '-f k8s/examples/queue-autoscaling.yaml',
    tracing: 'global.tracing.endpoint',
    'included-nats': 'global.trial.nats=true',
    'included-postgresql': 'global.trial.postgresql=true',
    handOver: 'helm.sh/resource-policy=keep',
    release: '--set image.tag=1.4.0',
    rollback: 'helm rollback email-send',
    restart: 'kubectl rollout restart',
    'api-gateway': 'helm upgrade --install api-gateway k8s/charts/service',
    'delivery-tracking': 'helm upgrade --install delivery-tracking k8s/charts/service',
    'webhook-dispatch': 'helm upgrade --install webhook-dispatch k8s/charts/service',
    'platform-management': 'helm upgrade --install platform-management k8s/charts/service',
    'runtime-agent': 'helm upgrade --install runtime-agent k8s/charts/service',
  },
};

export const OPERATIONS = {
  path: 'docs/operations.md',
  part: { from: '## The `postern` command', to: '## Processes' },
  blocks: { doctor: 'node postern.js doctor' },
};

/** Blocks of these parts that do not need a cluster, by words that they contain, with the reason. */
export const NOT_RUN = {
  'npx postern doctor --home .postern': 'of the local start and of Docker Compose',
  'kubectl exec --stdin --tty': 'needs a terminal',
};
