import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FakeApiServer } from './fake-api-server.js';
import { type ApiAccess, type FakeNode, NodeApi } from './fake-node.js';

const run = promisify(execFile);

/** A cluster for tests, without its node. */
export interface TestCluster {
  readonly access: ApiAccess;
  readonly kubeconfig: string;
  /** Allows the API server to request logs from the node. */
  join(node: FakeNode, folder: string): Promise<void>;
  stop(): Promise<void>;
}

const serveLog = (node: FakeNode, pod: string, query: URLSearchParams, response: ServerResponse) => {
  const log = node.find(pod)?.logOf(query.get('container') ?? '', query.get('previous') === 'true');
  if (log) void log.serve(query, response);
  else response.writeHead(400).end(JSON.stringify({ message: 'container is waiting to start' }));
};

/** A fake API server, which runs on any machine. */
export const fakeCluster = async (): Promise<TestCluster> => {
  const api = await FakeApiServer.start();
  return {
    access: { server: api.url },
    kubeconfig: api.kubeconfig,
    join: async node => {
      api.serveLog = (pod, query, response) => serveLog(node, pod, query, response);
    },
    stop: () => api.stop(),
  };
};

const HEARTBEAT_MS = 5_000;

/**
 * The real control plane that `k8s/check/check.mjs --cluster` starts, located by a file. It reaches the node at an
 * address of this machine, uses it as a kubelet, and considers it failed without heartbeats.
 */
export const realCluster = async (file: string): Promise<TestCluster> => {
  const { kubeconfig, ...access } = JSON.parse(await readFile(file, 'utf8')) as ApiAccess & { kubeconfig: string };
  const nodes = new NodeApi(access, 'default');
  let server: Server | undefined;
  let heart: NodeJS.Timeout | undefined;
  return {
    access,
    kubeconfig,
    join: async (node, folder) => {
      server = await kubeletServer(node, folder);
      const { port } = server.address() as AddressInfo;
      const path = '/api/v1/nodes';
      await nodes.send('POST', path, { apiVersion: 'v1', kind: 'Node', metadata: { name: node.name } });
      const beat = () => nodes.send('PATCH', `${path}/${node.name}/status`, { status: statusOf(port) });
      await beat();
      heart = setInterval(() => void beat().catch(() => {}), HEARTBEAT_MS);
    },
    stop: async () => {
      clearInterval(heart);
      server?.closeAllConnections();
      server?.close();
      await nodes.close();
    },
  };
};

const statusOf = (port: number) => {
  const now = new Date().toISOString();
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: now };
  return {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    capacity: { cpu: '64', memory: '256Gi', pods: '1000' },
    allocatable: { cpu: '64', memory: '256Gi', pods: '1000' },
    conditions: [{ ...ready, lastTransitionTime: now }],
  };
};

const kubeletServer = async (node: FakeNode, folder: string): Promise<Server> => {
  const [key, cert] = [join(folder, 'kubelet.key'), join(folder, 'kubelet.crt')];
  const subject = ['-subj', '/CN=kubelet', '-days', '2', '-keyout', key, '-out', cert];
  await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject]);
  const server = createServer({ key: await readFile(key), cert: await readFile(cert) }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://here');
    const [, pod = '', container = ''] = /^\/containerLogs\/[^/]+\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
    searchParams.set('container', container);
    serveLog(node, pod, searchParams, response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
};
