/** Registries in the cluster: that of the installation, which requires credentials, and a substitute for Docker Hub. */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { HUB_ADDRESS, HUB_HOST, NODE_ADDRESS, REGISTRY_HOST, REGISTRY_IMAGE } from '../settings.mjs';

const NAMESPACE = 'registries';
const USERNAME = 'postern';

/** bcrypt hash as htpasswd writes it, the only kind that the registry accepts. */
const bcrypt = password => {
  const salt = randomBytes(16).toString('hex').slice(0, 22);
  return execFileSync('perl', ['-e', 'print crypt($ARGV[0], $ARGV[1])', password, `$2b$10$${salt}`], {
    encoding: 'utf8',
  });
};

const configuration = (address, hasUsers) => ({
  version: '0.1',
  storage: { filesystem: { rootdirectory: '/data' }, delete: { enabled: true } },
  http: { addr: `${address}:443`, tls: { certificate: '/certificates/tls.crt', key: '/certificates/tls.key' } },
  ...(hasUsers && { auth: { htpasswd: { realm: 'registry', path: '/configuration/htpasswd' } } }),
});

const secret = (name, data) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: NAMESPACE },
  stringData: data,
});

/** On the network of the node, where a registry outside the cluster would be for its pods. */
const deployment = ([name, address]) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: NAMESPACE },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        hostNetwork: true,
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'registry',
            image: REGISTRY_IMAGE,
            imagePullPolicy: 'Never',
            args: ['/configuration/config.yml'],
            readinessProbe: { tcpSocket: { host: address, port: 443 }, periodSeconds: 1 },
            volumeMounts: [
              { name: 'data', mountPath: '/data' },
              { name: 'configuration', mountPath: '/configuration' },
              { name: 'certificates', mountPath: '/certificates' },
            ],
          },
        ],
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'configuration', secret: { secretName: name } },
          { name: 'certificates', secret: { secretName: 'certificates' } },
        ],
      },
    },
  },
});

/** One request to a registry. @throws unless it succeeds. */
const call = (ca, host, method, path, { body, headers = {}, credentials } = /** @type {any} */ ({})) =>
  new Promise((resolve, reject) => {
    const auth = credentials && `${credentials.username}:${credentials.password}`;
    const sent = request({ host, path, method, ca, auth, headers }, response => {
      response
        .setEncoding('utf8')
        .toArray()
        .then(chunks => {
          const text = chunks.join('');
          if (Number(response.statusCode) < 400) resolve({ headers: response.headers, text });
          else reject(new Error(`${host} answered ${method} ${path} with ${response.statusCode}: ${text}`));
        }, reject);
    });
    sent.once('error', reject).end(body);
  });

export const callRegistry = ({ folder, state }, method, path, options = {}) =>
  call(readFileSync(join(folder, 'ca.crt')), REGISTRY_HOST, method, path, {
    credentials: state.registry,
    ...options,
  });

const digestOf = content => `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** Pushes an image to the substitute for Docker Hub. */
const publish = async (ca, repository, tag, { config, layers }) => {
  const upload = async content => {
    const digest = digestOf(content);
    const { headers } = await call(ca, HUB_HOST, 'POST', `/v2/${repository}/blobs/uploads/`);
    const { pathname, search } = new URL(headers.location, `https://${HUB_HOST}`);
    const options = {
      body: content,
      headers: { 'content-type': 'application/octet-stream', 'content-length': content.length },
    };
    await call(ca, HUB_HOST, 'PUT', `${pathname}${search}&digest=${encodeURIComponent(digest)}`, options);
    return { digest, size: content.length };
  };
  const found = [];
  for (const layer of layers) found.push(await upload(readFileSync(layer)));
  const rootfs = { type: 'layers', diff_ids: found.map(({ digest }) => digest) };
  const image = Buffer.from(JSON.stringify({ architecture: 'amd64', os: 'linux', config, rootfs }));
  const manifest = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...(await upload(image)) },
    layers: found.map(each => ({ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...each })),
  };
  await call(ca, HUB_HOST, 'PUT', `/v2/${repository}/manifests/${tag}`, {
    body: JSON.stringify(manifest),
    headers: { 'content-type': manifest.mediaType },
  });
};

/** @returns {Promise<{ username: string, password: string }>} credentials of the registry of the installation. */
export const startRegistries = async ({ cluster, folder, published }) => {
  const file = name => readFileSync(join(folder, name), 'utf8');
  const credentials = { username: USERNAME, password: randomBytes(12).toString('hex') };
  await cluster.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    secret('certificates', { 'tls.crt': file('world.crt'), 'tls.key': file('world.key') }),
    secret('registry', {
      'config.yml': JSON.stringify(configuration(NODE_ADDRESS, true)),
      htpasswd: `${USERNAME}:${bcrypt(credentials.password)}\n`,
    }),
    secret('hub', { 'config.yml': JSON.stringify(configuration(HUB_ADDRESS, false)) }),
    ...Object.entries({ registry: NODE_ADDRESS, hub: HUB_ADDRESS }).map(deployment),
  );
  for (const name of ['registry', 'hub']) await cluster.untilReady(NAMESPACE, `app=${name}`);
  for (const [name, image] of Object.entries(published)) {
    const [repository, tag] = name.split(':');
    await publish(file('ca.crt'), repository, tag, image);
  }
  return credentials;
};
