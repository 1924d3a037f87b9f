/** The certificate authority of a run, and the certificates of the API server and the kubelet for mutual TLS. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_SERVICE_ADDRESS, BEHIND_INGRESS, HOSTS, NODE_ADDRESS, NODE_NAME } from './settings.mjs';

const NAMES = [
  ...[
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    'localhost',
  ],
  NODE_NAME,
  ...Object.keys(HOSTS),
  ...BEHIND_INGRESS,
].map(name => `DNS:${name}`);
const ADDRESSES = ['127.0.0.1', API_SERVICE_ADDRESS, NODE_ADDRESS].map(address => `IP:${address}`);
/** Common name of the API server's client certificate for aggregated APIs. */
export const PROXY_NAME = 'front-proxy';
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

const openssl = (folder, args) => execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });

/**
 * Writes ca, apiserver, node, proxy and world as .crt and .key, and accounts.key, which signs the tokens of service accounts.
 * The API server authenticates to aggregated APIs with proxy; world is for hosts outside the cluster.
 */
export const writeCertificates = folder => {
  const authority = [
    'req',
    '-x509',
    ...NEW_KEY,
    '-days',
    '2',
    '-subj',
    '/CN=postern-node',
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
  ];
  openssl(folder, authority);
  const extension = `subjectAltName=${[...NAMES, ...ADDRESSES].join()}\nextendedKeyUsage=serverAuth,clientAuth\n`;
  writeFileSync(join(folder, 'extension'), extension);
  // The kubelet authorizes this group for its API.
  for (const [name, subject] of [
    ['apiserver', '/O=system:masters/CN=kube-apiserver'],
    ['node', `/CN=${NODE_NAME}`],
    ['proxy', `/CN=${PROXY_NAME}`],
    ['world', '/CN=world'],
  ]) {
    openssl(folder, ['req', ...NEW_KEY, '-subj', subject, '-keyout', `${name}.key`, '-out', `${name}.csr`]);
    const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'extension'];
    openssl(folder, ['x509', '-req', '-in', `${name}.csr`, ...signed, '-out', `${name}.crt`]);
  }
  openssl(folder, ['genrsa', '-out', 'accounts.key', '2048']);
};
