/** nginx with a configuration from the Ingresses of the cluster, as an Ingress controller would write it. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { until } from '../../control-plane.mjs';
import { INGRESS_IMAGE } from '../settings.mjs';

export const CLASS = 'nginx';
/** The namespace that k8s/examples/ingress.yaml lets through. */
export const NAMESPACE = 'ingress-nginx';
const LABELS = { app: 'ingress-nginx' };
const CERTIFICATES = '/certificates';
const DEFAULT_CERTIFICATE = 'default';
const BODY_SIZE = 'nginx.ingress.kubernetes.io/proxy-body-size';

const certificate = name =>
  `ssl_certificate ${CERTIFICATES}/${name}.crt; ssl_certificate_key ${CERTIFICATES}/${name}.key;`;

const server = ({ host, address, port, secret, bodySize }) => `
  server {
    listen 8443 ssl;
    server_name ${host};
    ${certificate(secret)}
    client_max_body_size ${bodySize};
    location / {
      proxy_pass http://${address}:${port};
      proxy_http_version 1.1;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto https;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_of_upgrade;
    }
  }`;

const configuration = servers => `
pid /tmp/nginx.pid;
error_log stderr warn;
daemon off;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path /tmp/${name};`).join(' ')}
  map $http_upgrade $connection_of_upgrade { default upgrade; '' ''; }
  server { listen 8443 ssl default_server; ${certificate(DEFAULT_CERTIFICATE)} return 404; }
  ${servers.map(server).join('\n')}
}
`;

/** What the Ingresses of the class say, one entry per host. @throws where one names what is not there. */
const routesOf = async ({ cluster }) => {
  const { items } = await cluster.api('GET', '/apis/networking.k8s.io/v1/ingresses');
  const routes = [];
  for (const { metadata, spec } of items.filter(each => each.spec.ingressClassName === CLASS)) {
    const { namespace } = metadata;
    for (const { host, http } of spec.rules) {
      const { name, port } = http.paths[0].backend.service;
      const { spec: service } = await cluster.api('GET', `/api/v1/namespaces/${namespace}/services/${name}`);
      const found = service.ports.find(each => each.name === port.name || each.port === port.number);
      if (!found) throw new Error(`the Service ${namespace}/${name} has no port ${JSON.stringify(port)}`);
      const tls = spec.tls?.find(({ hosts }) => hosts.includes(host))?.secretName;
      routes.push({
        host,
        address: service.clusterIP,
        port: found.port,
        secret: tls ? `${namespace}-${tls}` : DEFAULT_CERTIFICATE,
        tls: tls && { namespace, name: tls },
        bodySize: metadata.annotations?.[BODY_SIZE] ?? '1m',
      });
    }
  }
  return routes;
};

const accepts = (host, port) =>
  new Promise(resolve => {
    const socket = connect({ host, port, timeout: 1_000 });
    const end = isOpen => {
      socket.destroy();
      resolve(isOpen);
    };
    socket
      .once('connect', () => end(true))
      .once('timeout', () => end(false))
      .once('error', () => end(false));
  });

const pod = () => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'nginx', namespace: NAMESPACE, labels: LABELS },
  spec: {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: 'nginx',
        image: INGRESS_IMAGE,
        imagePullPolicy: 'Never',
        args: ['-c', '/configuration/nginx.conf'],
        readinessProbe: { tcpSocket: { port: 8443 }, periodSeconds: 1 },
        securityContext: { runAsUser: 33, runAsGroup: 33 },
        volumeMounts: [
          { name: 'configuration', mountPath: '/configuration' },
          { name: 'certificates', mountPath: CERTIFICATES },
          { name: 'tmp', mountPath: '/tmp' },
        ],
      },
    ],
    volumes: [
      { name: 'configuration', configMap: { name: 'nginx' } },
      { name: 'certificates', secret: { secretName: 'certificates' } },
      { name: 'tmp', emptyDir: {} },
    ],
  },
});

/** Starts nginx, or starts it again with what the Ingresses say now. @returns {Promise<string[]>} their hosts. */
export const startIngress = async context => {
  const { cluster, folder } = context;
  const routes = await routesOf(context);
  const file = name => readFileSync(join(folder, name), 'utf8');
  const certificates = {
    [`${DEFAULT_CERTIFICATE}.crt`]: file('world.crt'),
    [`${DEFAULT_CERTIFICATE}.key`]: file('world.key'),
  };
  for (const { secret, tls } of routes.filter(each => each.tls)) {
    const { data } = await cluster.api('GET', `/api/v1/namespaces/${tls.namespace}/secrets/${tls.name}`);
    for (const part of ['crt', 'key'])
      certificates[`${secret}.${part}`] = Buffer.from(data[`tls.${part}`], 'base64').toString('utf8');
  }
  await cluster.kubectl('delete', 'pod', 'nginx', '--namespace', NAMESPACE, '--ignore-not-found');
  const named = (kind, name) => ({ apiVersion: 'v1', kind, metadata: { name, namespace: NAMESPACE } });
  await cluster.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    { ...named('ConfigMap', 'nginx'), data: { 'nginx.conf': configuration(routes) } },
    { ...named('Secret', 'certificates'), stringData: certificates },
    { ...named('Service', 'nginx'), spec: { selector: LABELS, ports: [{ port: 443, targetPort: 8443 }] } },
    pod(),
  );
  await cluster.untilReady(NAMESPACE, 'app=ingress-nginx');
  const { spec } = await cluster.api('GET', `/api/v1/namespaces/${NAMESPACE}/services/nginx`);
  // kube-proxy learns of a pod that is ready a moment later.
  await until('the Service of nginx', () => accepts(spec.clusterIP, 443));
  return routes.map(({ host }) => host);
};
