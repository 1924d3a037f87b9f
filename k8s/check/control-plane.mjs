/**
 * A real etcd, kube-apiserver and kube-controller-manager on loopback, with their data in a temporary folder. A fake node
 * reports pods as running and ready, and Jobs as done, so no container starts.
 */
import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { controlPlanePrograms } from './tools.mjs';

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });

/** A required program has exited, so waiting for it is pointless. */
export class ProgramEnded extends Error {}

/** Polls until the condition is true or the timeout expires. @throws with the last error of the condition. */
export const until = async (what, condition, limitMs = 60_000) => {
  const end = Date.now() + limitMs;
  let last;
  const isMet = async () => {
    try {
      return await condition();
    } catch (error) {
      if (error instanceof ProgramEnded) throw error;
      last = error;
      return false;
    }
  };
  while (!(await isMet())) {
    const reason = last ? `: ${last.message}` : '';
    if (Date.now() > end) throw new Error(`${what} did not come about in ${limitMs} ms${reason}`, { cause: last });
    await pause(100);
  }
};

/**
 * @param fakeNodes false if the caller brings a node.
 * @returns a running control plane: `kubeconfig` (a file), `server` (URL), `token` (of an administrator), `caFile`,
 *   `api(method, path, body?)` that returns parsed JSON, `jobsFail` (how the fake node ends Jobs), `stop()`.
 */
export const startControlPlane = async ({ fakeNodes: hasFakeNodes = true } = {}) => {
  const programs = controlPlanePrograms();
  const folder = mkdtempSync(join(tmpdir(), 'postern-control-plane-'));
  const file = name => join(folder, name);
  const [client, peer, secure] = await Promise.all([freePort(), freePort(), freePort()]);
  const token = randomBytes(24).toString('hex');
  writeFileSync(file('tokens.csv'), `${token},admin,admin,"system:masters"\n`);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(file('accounts.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });

  const children = [];
  const start = (program, name, args) => {
    const log = openSync(file(`${name}.log`), 'a');
    const child = spawn(program, args, { stdio: ['ignore', log, log] });
    const ended = new Promise(resolve => child.once('exit', resolve));
    children.push({ name, child, ended });
  };
  const fakeNodes = { stopped: false, running: Promise.resolve() };
  const stop = async () => {
    fakeNodes.stopped = true;
    await fakeNodes.running;
    for (const { child, ended } of children.reverse()) {
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };

  try {
    const store = `http://127.0.0.1:${client}`;
    start(programs.etcd, 'etcd', [
      `--data-dir=${file('etcd')}`,
      '--unsafe-no-fsync',
      `--listen-client-urls=${store}`,
      `--advertise-client-urls=${store}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-cluster=default=http://127.0.0.1:${peer}`,
    ]);
    start(programs.apiServer, 'kube-apiserver', [
      `--etcd-servers=${store}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${secure}`,
      `--cert-dir=${folder}`,
      `--service-account-key-file=${file('accounts.key')}`,
      `--service-account-signing-key-file=${file('accounts.key')}`,
      '--service-account-issuer=https://kubernetes.default',
      '--service-cluster-ip-range=10.99.0.0/16',
      `--token-auth-file=${file('tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--anonymous-auth=false',
    ]);
    const server = `https://127.0.0.1:${secure}`;
    const caFile = file('apiserver.crt');
    const api = (method, path, body) => callApi({ server, token, caFile }, method, path, body);
    await until('kube-apiserver', async () => {
      const dead = children.find(({ child }) => child.exitCode !== null);
      if (dead)
        throw new ProgramEnded(`${dead.name} ended:\n${readFileSync(file(`${dead.name}.log`), 'utf8').slice(-2_000)}`);
      return api('GET', '/readyz').then(
        () => true,
        () => false,
      );
    });
    const kubeconfig = file('kubeconfig');
    writeFileSync(kubeconfig, kubeconfigOf({ server, token, caFile }), { mode: 0o600 });
    start(programs.controllers, 'kube-controller-manager', [
      `--kubeconfig=${kubeconfig}`,
      `--service-account-private-key-file=${file('accounts.key')}`,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      `--cert-dir=${folder}`,
    ]);
    await until('the default account', async () => {
      const { items } = await api('GET', '/api/v1/namespaces/default/serviceaccounts');
      return items.length > 0;
    });
    const controlPlane = { kubeconfig, server, token, caFile, api, jobsFail: false, stop };
    if (hasFakeNodes) fakeNodes.running = runFakeNodes(controlPlane, fakeNodes);
    return controlPlane;
  } catch (error) {
    await stop();
    throw error;
  }
};

/** Sends a request to the API server. @throws with the status and the response body on an error. */
export const callApi = ({ server, token, caFile }, method, path, body) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    if (method === 'PATCH') headers['content-type'] = 'application/merge-patch+json';
    const outgoing = request(server + path, { method, headers, ca: readFileSync(caFile) }, answer => {
      answer.setEncoding('utf8');
      let text = '';
      answer.on('data', part => {
        text += part;
      });
      answer.on('end', () => {
        if (Number(answer.statusCode) >= 400)
          reject(new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 500)}`));
        else resolve(text.startsWith('{') ? JSON.parse(text) : text);
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });

const kubeconfigOf = ({ server, token, caFile }) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'here', cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'admin' } }],
    'current-context': 'here',
  });

const runFakeNodes = async (controlPlane, state) => {
  while (!state.stopped) {
    const { items } = await controlPlane.api('GET', '/api/v1/pods?fieldSelector=status.phase%3DPending');
    for (const pod of items.filter(({ metadata }) => !metadata.deletionTimestamp)) {
      const done = pod.metadata.ownerReferences?.some(({ kind }) => kind === 'Job');
      // The pod may have been deleted meanwhile.
      await controlPlane
        .api('PATCH', `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}/status`, {
          status: statusOf(done ? (controlPlane.jobsFail ? 'Failed' : 'Succeeded') : 'Running'),
        })
        .catch(() => {});
    }
    const services = await controlPlane.api('GET', '/api/v1/services');
    for (const { metadata, spec, status } of services.items) {
      if (spec.type !== 'LoadBalancer' || status.loadBalancer?.ingress) continue;
      await controlPlane
        .api('PATCH', `/api/v1/namespaces/${metadata.namespace}/services/${metadata.name}/status`, {
          status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
        })
        .catch(() => {});
    }
    await pause(200);
  }
};

const statusOf = phase => ({
  phase,
  startTime: new Date().toISOString(),
  conditions: [
    { type: 'Ready', status: phase === 'Running' ? 'True' : 'False', lastTransitionTime: new Date().toISOString() },
  ],
});
