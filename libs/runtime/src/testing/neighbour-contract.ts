import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import type { BuildOrder } from '../runtime.js';
import type { Artefact, ServicePlan } from '../service-plan.js';
import { ATTACKER, attemptsOn, type GuardedPort, type Outcomes, outcomesIn, type Targets } from './attacker.js';
import { commandOf, endedWell, type NetworkHarness, networkContract } from './network-contract.js';
import type { RuntimeHarness } from './runtime-harness.js';

/** Additional parts of the harness for this suite: the private resources of a web service on this machine. */
export interface NeighbourHarness extends RuntimeHarness, NetworkHarness {
  /** Files and folders that only the platform and this web service may read. */
  privatePathsOf(plan: ServicePlan): Promise<readonly string[]>;
  /** Databases of another tenant; at least one is relational. */
  databasesOfAnother(): Promise<readonly GuardedPort[]>;
  /** Sockets with which parts of the platform control each other. */
  controlSockets(): Promise<readonly string[]>;
  /** Process ids, on the host, of the processes of a web service. */
  processesOf(plan: ServicePlan): Promise<readonly number[]>;
}

const never = new AbortController().signal;
const SECRET = 'the private file of the shop';
const ARGUMENT = '--ingredient=saffron';
const VARIABLE = 'cinnamon-and-cloves';

/** Has a secret in its source, its arguments, its environment, its files in /tmp and its memory. */
const VICTIM = `
  import { createServer } from 'node:http';
  import { writeFileSync } from 'node:fs';
  writeFileSync('/tmp/private.txt', ${JSON.stringify(SECRET)}, { mode: 0o666 });
  createServer((_, response) => response.end(String(process.pid))).listen(Number(process.env.PORT));
  process.on('SIGTERM', () => process.exit(0));
`;

/** Responds with the output of a shell command, which has a time limit. */
const NEIGHBOUR = `
  import { execFile } from 'node:child_process';
  import { createServer } from 'node:http';
  createServer(({ url }, response) => {
    const command = decodeURIComponent(url.slice(1));
    if (command === '') return response.end('here');
    execFile('/bin/sh', ['-c', command], { timeout: 20_000, maxBuffer: 2 ** 24 }, (_, output, errors) =>
      response.end(output + errors));
  }).listen(Number(process.env.PORT));
  process.on('SIGTERM', () => process.exit(0));
`;

/** The part of the contract about isolation between web services of several owners on one machine. */
export const isolationContract = (start: () => Promise<NeighbourHarness>): void => {
  describe('between neighbours', () => {
    let harness: NeighbourHarness;
    let victim: ServicePlan;
    let neighbour: ServicePlan;
    beforeAll(async () => {
      harness = await start();
      victim = await running(VICTIM, `node server.mjs ${ARGUMENT}`, { PRIVATE: VARIABLE });
      neighbour = await running(NEIGHBOUR, 'node server.mjs', {});
    }, 240_000);
    afterAll(() => harness?.stop(), 120_000);

    const orderOf = async (server: string, changes: Partial<BuildOrder>): Promise<BuildOrder> => {
      const files = { 'server.mjs': server, 'private.txt': SECRET, 'attacker.mjs': ATTACKER };
      const repositoryUrl = await harness.makeRepository(files);
      const { commit } = await harness.runtime.resolveSource({ repositoryUrl, branch: undefined }, never);
      const about = { deploymentId: randomUUID(), webServiceId: randomUUID(), repositoryUrl, commit };
      const how = { buildCommand: undefined, startCommand: 'node server.mjs', environment: {}, secrets: [] };
      return { ...about, ...how, deadlineMs: 120_000, ...changes };
    };

    const built = async (order: BuildOrder): Promise<Artefact> => {
      const output = harness.runtime.logWriter(order.webServiceId, 'build', []);
      return harness.runtime.build(order, output, never).finally(() => output.close());
    };

    const running = async (
      server: string,
      startCommand: string,
      environment: Readonly<Record<string, string>>,
      changes: Partial<ServicePlan> = {},
    ): Promise<ServicePlan> => {
      const order = await orderOf(server, {});
      const { webServiceId } = order;
      const bounds = { minInstances: 1, maxInstances: 1, deadlineMs: 120_000 };
      const how = { port: 8080, healthCheckPath: undefined, environment, secrets: [], startCommand };
      const plan = {
        webServiceId,
        name: 'shop',
        rollId: randomUUID(),
        artefact: await built(order),
        ...how,
        ...bounds,
        ...changes,
      };
      await harness.runtime.roll(plan, never);
      return plan;
    };

    /** The output of a command that the neighbour runs. */
    const printed = async (command: string): Promise<string> => {
      const url = await harness.runtime.urlOf(neighbour.webServiceId, neighbour.name);
      return (await harness.request(new URL(`/${encodeURIComponent(command)}`, url).href)).body;
    };

    const linesOf = async (webServiceId: string): Promise<string> =>
      (await harness.runtime.logs(webServiceId, { tail: 10_000, since: undefined }))
        .map(({ message }) => message)
        .join('\n');

    const targets = async (): Promise<Targets> => ({
      guarded: await harness.databasesOfAnother(),
      sockets: await harness.controlSockets(),
      processes: await harness.processesOf(victim),
    });

    /** The log lines of a build with this command, beginning with the command. */
    const loggedBy = async (buildCommand: string): Promise<string> => {
      const order = await orderOf(NEIGHBOUR, { buildCommand: `${buildCommand}; echo; echo tried` });
      await built(order);
      return waitFor(async () => {
        const output = await linesOf(order.webServiceId);
        return output.includes('\ntried') ? output.slice(output.indexOf('$ ')) : undefined;
      });
    };

    const expectRefusals = ({ guarded, sockets, processes }: Targets, seen: Outcomes): void => {
      expect(guarded.length).toBeGreaterThan(0);
      expect(sockets.length).toBeGreaterThan(1);
      expect(processes.length).toBeGreaterThan(0);
      // 28P01: the password is wrong.
      const words = { postgresql: '28P01', valkey: '-NOAUTH -WRONGPASS' };
      expect(seen.guarded).toEqual(guarded.map(({ kind }) => (harness.hasNetworks ? 'ECONNREFUSED' : words[kind])));
      const notThere = expect.stringMatching(/^(ENOENT|EACCES)$/);
      expect(seen.sockets).toEqual(sockets.map(() => notThere));
      expect(seen.signals).toEqual(processes.map(() => expect.stringMatching(/^(ESRCH|EPERM)$/)));
      expect(seen.memories).toEqual(processes.map(() => expect.stringMatching(/^(ENOENT|EACCES|EPERM)$/)));
    };

    it('denies instances access to databases, control sockets and processes of others', async () => {
      const all = await targets();
      expectRefusals(all, outcomesIn(await printed(attemptsOn(all))));
    });

    it('denies builds the same access', async () => {
      const all = await targets();
      expectRefusals(all, outcomesIn(await loggedBy(attemptsOn(all))));
    });

    networkContract({
      harness: () => harness,
      victim: () => victim,
      printed,
      loggedBy,
      ran: async command => {
        const order = commandOf(neighbour, command);
        endedWell(await harness.runtime.run(order, never));
        return (await harness.runtime.logs(order.webServiceId, { tail: 10_000, since: undefined, instance: 'command' }))
          .map(({ message }) => message)
          .join('\n');
      },
      running: (server, changes) => running(server, 'node server.mjs', {}, changes),
      visited: async ({ webServiceId, name }, path = '/') =>
        (await harness.request(new URL(path, await harness.runtime.urlOf(webServiceId, name)).href)).body,
    });

    it('denies instances read access to the artefact, logs and files of another, even by their paths', async () => {
      expect(await printed('cat private.txt')).toBe(SECRET);
      const paths = await harness.privatePathsOf(victim);
      expect(paths.length).toBeGreaterThan(2);
      for (const path of paths) {
        const output = await printed(`ls -la '${path}'; cat '${path}'; find '${path}' -type f -exec cat {} +`);
        expect(output).toMatch(/No such file or directory|Permission denied/);
        expect(output).not.toContain(SECRET);
        expect(output).not.toContain('server.mjs');
      }
    });

    it('denies builds the same read access', async () => {
      const paths = await harness.privatePathsOf(victim);
      const tries = paths.map(path => `ls -la '${path}'; find '${path}' -type f -exec cat {} +`);
      const lines = await loggedBy(
        `rm private.txt; { ${tries.join('; ')}; cat /tmp/private.txt; cat /proc/[0-9]*/cmdline; } 2>&1`,
      );
      expect(lines).not.toContain(`${SECRET}\n`);
      expect(lines.replaceAll(/^\$ .*$/gm, '')).not.toContain(ARGUMENT);
    });

    it('hides the processes of others, their arguments and their variables', async () => {
      const seen = await printed('cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr "\\0" "\\n"');
      expect(seen).toContain('server.mjs');
      expect(seen).not.toContain(ARGUMENT);
      expect(seen).not.toContain(VARIABLE);
    });

    it('gives each instance separate folders for temporary files', async () => {
      expect(await printed('ls /tmp /var/tmp /dev/shm; cat /tmp/private.txt')).not.toContain(SECRET);
      expect(await printed('ls /tmp')).not.toContain('private.txt');
      expect(await printed('echo mine > /tmp/mine && cat /tmp/mine')).toBe('mine\n');
    });

    it('keeps the artefact as it was built, whatever an instance does in its working folder', async () => {
      await printed('echo changed > private.txt; rm -f attacker.mjs');
      await harness.runtime.roll({ ...neighbour, rollId: randomUUID() }, never);
      expect(await printed('cat private.txt; ls')).toMatch(new RegExp(`^${SECRET}[^]*attacker\\.mjs`));
    });
  });
};
