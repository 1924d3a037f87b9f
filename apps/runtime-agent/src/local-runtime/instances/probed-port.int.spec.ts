import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { InstanceConnections } from '@postern/load-balancer-client';
import { freePort } from '@postern/testing';
import type { InstanceRecord } from './instance-record.js';
import { OtherPorts } from './other-ports.js';
import { ProbedPort } from './probed-port.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** This process is the instance: it listens on a port for each listener. The lowest port is first. */
const listening = async (...listeners: readonly RequestListener[]): Promise<readonly number[]> => {
  const added = listeners.map(() => createServer().listen(0, '127.0.0.1'));
  servers.push(...added);
  await Promise.all(added.map(server => once(server, 'listening')));
  const sorted = added.sort((one, other) => portOf(one) - portOf(other));
  for (const [index, server] of sorted.entries()) server.on('request', listeners[index]!);
  return sorted.map(portOf);
};

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const answering =
  (status: number): RequestListener =>
  (_, response) =>
    response.writeHead(status).end();

const RECORD = {
  ...{ id: 'one', name: 'web-1', webServiceId: 'service', rollId: 'roll', artefact: 'built', secretNames: [] },
} satisfies InstanceRecord;

let record: InstanceRecord & { readonly port: number };
let otherPorts: OtherPorts;
beforeEach(async () => {
  record = { ...RECORD, port: await freePort() };
  otherPorts = new OtherPorts();
});

interface Circumstances {
  readonly takesOther?: boolean;
  readonly isNew?: boolean;
  readonly hasNetwork?: boolean;
}

/** Probes once, and returns the answer with the port that gets the requests then. */
const probed = async ({ takesOther = true, isNew = true, hasNetwork = true }: Circumstances = {}) => {
  const place = { address: '127.0.0.1', hasNetwork, pids: async () => [process.pid], reachInward: async () => {} };
  const connections = new InstanceConnections('/nowhere');
  const port = new ProbedPort({ connections, otherPorts }, place, async (_, otherPort) => {
    const { otherPort: __, ...rest } = record;
    record = { ...rest, ...(otherPort !== undefined && { otherPort }) };
  });
  const answer = await port.probe(record, { timeoutMs: 5_000, isNew, takesOther });
  return { answer, goesTo: record.otherPort ?? record.port };
};

it('the lowest other port that answers gets the requests', async () => {
  const [, second] = await listening(answering(503), answering(200), answering(200));
  expect(await probed()).toEqual({ answer: undefined, goesTo: second });
});

it.each([200, 302, 404])('a port that answers %s to GET / gets the requests', async status => {
  const [port] = await listening(answering(status));
  expect(await probed()).toEqual({ answer: undefined, goesTo: port });
});

it.each([400, 426, 500])('a port that answers %s to GET / does not, and the message says so', async status => {
  const [port] = await listening(answering(status));
  const { answer, goesTo } = await probed();
  expect(goesTo).toBe(record.port);
  expect(answer).toBe(
    `listens on port ${port}, not on PORT ${record.port} (port ${port}: GET / answered ${status} to the Host 127.0.0.1:${port}). Make it listen on the port in the environment variable PORT, or set the port of the web service to ${port}.`,
  );
});

it('the port that answers the health check gets the requests', async () => {
  const health: RequestListener = ({ url }, response) => response.writeHead(url === '/health' ? 200 : 500).end();
  const [, second] = await listening(answering(404), health);
  record = { ...record, healthCheckPath: '/health' };
  expect((await probed()).goesTo).toBe(second);
});

it.each<[string, Circumstances]>([
  ['before it had time to listen on PORT', { takesOther: false }],
  ['after it has answered on PORT', { isNew: false }],
  ['in the network of the machine', { hasNetwork: false }],
])('no other port gets the requests of an instance %s', async (_, circumstances) => {
  const [port] = await listening(answering(200));
  const { answer, goesTo } = await probed(circumstances);
  expect(goesTo).toBe(record.port);
  expect(answer).toContain(`listens on port ${port}, not on PORT ${record.port}. Make`);
});

it('the port of earlier instances gets the requests at once, if the artefact is the same', async () => {
  const [, second] = await listening(answering(200), answering(200));
  otherPorts.set(record, second);
  expect((await probed({ takesOther: false })).goesTo).toBe(second);
  record = { ...RECORD, port: record.port, artefact: 'another' };
  expect((await probed({ takesOther: false })).goesTo).toBe(record.port);
});

it('PORT gets the requests as soon as the instance listens there', async () => {
  const [port] = await listening(answering(200));
  expect((await probed()).goesTo).toBe(port);
  expect(await probed({ isNew: false })).toEqual({ answer: undefined, goesTo: port });
  const late = createServer(answering(200)).listen(record.port, '127.0.0.1');
  servers.push(late);
  await once(late, 'listening');
  expect(await probed({ isNew: false })).toEqual({ answer: undefined, goesTo: record.port });
});

it('names at most 16 ports', async () => {
  await listening(...Array.from({ length: 20 }, () => answering(500)));
  const { answer } = await probed({ takesOther: false });
  expect(/listens on port ([\d, ]+), not/.exec(answer ?? '')?.[1]?.split(', ')).toHaveLength(16);
});
