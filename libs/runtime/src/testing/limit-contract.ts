import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import type { Artefact, ServicePlan } from '../service-plan.js';
import type { RuntimeHarness } from './runtime-harness.js';

/** Runs a shell command for each request; `/` answers while its processes run. */
const SERVER = `
  import { execFile } from 'node:child_process';
  import { createServer } from 'node:http';
  createServer(({ url }, response) => {
    const command = decodeURIComponent(url.slice(1));
    if (command === '') return response.end('here');
    execFile('/bin/sh', ['-c', command], { timeout: 30_000, maxBuffer: 2 ** 24 }, (_, output, errors) =>
      response.end(output + errors));
  }).listen(Number(process.env.PORT));
  process.on('SIGTERM', () => process.exit(0));
`;

/** Prints the error number of each system call, 0 if it succeeds; the numbers are those of x64 and of arm64. */
const attemptOf = (
  ...calls: readonly (readonly [x64: number, arm64: number, ...args: readonly number[]])[]
): string => {
  const all = calls.map(([x64, arm64, ...args]) => `[${process.arch === 'x64' ? x64 : arm64}, ${args.join(', ')}]`);
  const script = `print join(" ", map { my @call = (@$_, 0, 0, 0, 0, 0, 0); syscall($call[0], @call[1 .. 6]) == -1 ? 0 + $! : 0 } ${all.join(', ')})`;
  return `perl -e '${script}'`;
};

const EPERM = 1;
const EAFNOSUPPORT = 97;
const [AF_INET, AF_PACKET, AF_VSOCK] = [2, 17, 40];

const FORBIDDEN = attemptOf(
  [425, 425, 1, 0], // io_uring_setup
  [250, 219, 0, -3, 0], // keyctl: the session key ring
  [323, 282, 1], // userfaultfd
  [321, 280, 0, 0, 0], // bpf
  [298, 241, 0, 0, 0, 0, 0], // perf_event_open
  [272, 97, 0x10000000], // unshare: a user namespace
  [101, 117, 16, 1, 0, 0], // ptrace: another process
);
const SOCKETS = attemptOf([41, 198, AF_INET, 1, 0], [41, 198, AF_VSOCK, 1, 0], [41, 198, AF_PACKET, 3, 0]);

/** The runtime measures files every few seconds, and less often on a busy machine. */
const MEASURED = { timeoutMs: 30_000 };

export interface LimitHarness extends RuntimeHarness {
  /** The largest number of processes and threads of an instance. */
  readonly tasks: number;
  /** How much the files of an instance can occupy. */
  readonly diskMib: number;
  /** How much the files of a build can occupy. */
  readonly buildDiskMib: number;
  /** Free space of the machine. */
  freeMib(): Promise<number>;
}

const never = new AbortController().signal;

/** The part of the contract about what one web service may use of the machine that it shares with others. */
export const limitContract = (start: () => Promise<LimitHarness>): void => {
  describe('against a web service that takes what it can', () => {
    let harness: LimitHarness;
    let greedy: ServicePlan;
    let other: ServicePlan;
    beforeAll(async () => {
      harness = await start();
      greedy = await running();
      other = await running();
    }, 240_000);
    afterAll(() => harness?.stop(), 120_000);

    const built = async (webServiceId: string, buildCommand?: string): Promise<Artefact> => {
      const repositoryUrl = await harness.makeRepository({ 'server.mjs': SERVER });
      const { commit } = await harness.runtime.resolveSource({ repositoryUrl, branch: undefined }, never);
      const order = {
        ...{ deploymentId: randomUUID(), webServiceId, repositoryUrl, commit, buildCommand },
        ...{ startCommand: 'node server.mjs', environment: {}, secrets: [], deadlineMs: 120_000 },
      };
      const output = harness.runtime.logWriter(webServiceId, 'build', []);
      return harness.runtime.build(order, output, never).finally(() => output.close());
    };

    const running = async (): Promise<ServicePlan> => {
      const webServiceId = randomUUID();
      const plan = {
        ...{ webServiceId, name: 'shop', rollId: randomUUID(), artefact: await built(webServiceId), port: 8080 },
        ...{ healthCheckPath: undefined, environment: {}, secrets: [], startCommand: 'node server.mjs' },
        ...{ minInstances: 1, maxInstances: 1, deadlineMs: 120_000 },
      };
      await harness.runtime.roll(plan, never);
      return plan;
    };

    /** The output of a shell command that the web service runs. */
    const printed = async (command: string, { webServiceId, name }: ServicePlan = greedy): Promise<string> => {
      const url = await harness.runtime.urlOf(webServiceId, name);
      return (await harness.request(new URL(`/${encodeURIComponent(command)}`, url).href)).body;
    };

    const linesOf = async (webServiceId: string): Promise<readonly string[]> =>
      (await harness.runtime.logs(webServiceId, { tail: 10_000, since: undefined })).map(({ message }) => message);

    const expectRefusals = (forbidden: string, sockets: string): void => {
      expect(forbidden.trim().split(' ').map(Number)).toEqual(Array(7).fill(EPERM));
      expect(sockets.trim().split(' ').map(Number)).toEqual([0, EAFNOSUPPORT, EAFNOSUPPORT]);
    };

    it('refuses system calls and sockets to instances that reach past their sandbox', async () => {
      expectRefusals(await printed(FORBIDDEN), await printed(SOCKETS));
    });

    it('refuses them to builds', async () => {
      const webServiceId = randomUUID();
      await built(webServiceId, `${FORBIDDEN}; echo; ${SOCKETS}; echo; echo tried`);
      const lines = await waitFor(async () => {
        const all = await linesOf(webServiceId);
        return all.includes('tried') ? all.slice(0, all.indexOf('tried')) : undefined;
      });
      expectRefusals(lines.at(-2) ?? '', lines.at(-1) ?? '');
    });

    it('refuses them to commands', async () => {
      const { webServiceId, artefact } = greedy;
      const order = {
        ...{ runId: randomUUID(), webServiceId, instance: 'run-refused', artefact, environment: {}, secrets: [] },
        ...{ command: `${FORBIDDEN}; echo; ${SOCKETS}; echo`, size: undefined, deadlineMs: 60_000 },
      };
      expect(await harness.runtime.run(order, never)).toMatchObject({ exitCode: 0 });
      const read = () => harness.runtime.logs(webServiceId, { tail: 100, since: undefined, instance: 'run-refused' });
      const lines = await waitFor(async () => {
        const found = (await read()).map(({ message }) => message);
        return found.length >= 2 ? found : undefined;
      });
      expectRefusals(lines[0] ?? '', lines[1] ?? '');
    });

    it('stops files at their limit at once, in each writable folder, and other web services can still write', async () => {
      const before = await harness.freeMib();
      for (const folder of ['/tmp', '/home/app', '/dev/shm']) {
        const written = await printed(
          `for i in 1 2 3 4 5 6 7 8; do fallocate -l 2G ${folder}/f$i; done 2>&1; du -sm ${folder} | cut -f1; rm -f ${folder}/f*`,
        );
        expect(written).toMatch(/No space left on device/);
        expect(Number(written.trim().split('\n').at(-1))).toBeLessThanOrEqual(Math.max(harness.diskMib, 64) + 8);
      }
      expect(
        await printed('dd if=/dev/zero of=/tmp/small bs=1M count=8 2>/dev/null; du -sm /tmp | cut -f1', other),
      ).toMatch(/^8|^9/);
      expect(before - (await harness.freeMib())).toBeLessThan(8 * harness.diskMib);
    });

    it('fails builds whose files reach their limit, in each writable folder', async () => {
      const before = await harness.freeMib();
      for (const folder of ['.', '"$HOME"', '/tmp', '"$npm_config_cache"']) {
        const fill = `mkdir -p ${folder}; for i in 1 2 3 4 5 6 7 8; do fallocate -l 2G ${folder}/f$i || exit 1; done`;
        await expect(built(randomUUID(), fill)).rejects.toThrow(
          `the build wrote more than ${harness.buildDiskMib} MiB`,
        );
      }
      const make = `const { writeFileSync } = require("fs"); for (let made = 0; made < 120_000; made += 1) writeFileSync("/tmp/n" + made, "")`;
      await expect(built(randomUUID(), `node -e '${make}'`)).rejects.toThrow(/the build wrote more than \d+ files/);
      expect(before - (await harness.freeMib())).toBeLessThan(8 * harness.buildDiskMib);
    });

    it('stops the number of files at a limit', async () => {
      const make = `let made = 0; try { for (; made < 120_000; made += 1) require("fs").writeFileSync("/tmp/n" + made, ""); } catch (e) { console.log(e.code, made); } if (made === 120_000) console.log("all");`;
      expect(await printed(`node -e '${make}'`)).toMatch(/^ENOSPC \d{3,5}\n$/);
      expect(await printed('touch /tmp/one && echo made', other)).toBe('made\n');
      expect(await printed('find /tmp -name "n*" -delete; touch /tmp/again && echo made')).toBe('made\n');
    });

    it('reports full files in the log and the status, and does not restart the web service', async () => {
      const { webServiceId } = greedy;
      await printed('dd if=/dev/zero of=/tmp/large bs=1M count=4096 2>/dev/null; true');
      const line = /^The home and temporary files are full \(\d+ MiB\): writes fail/;
      await waitFor(async () => (await linesOf(webServiceId)).some(message => line.test(message)), MEASURED);
      const status = await waitFor(async () => {
        const found = await harness.runtime.statusOf(webServiceId);
        return found?.lastFailure === undefined ? undefined : found;
      }, MEASURED);
      expect(status).toMatchObject({ healthy: 1, restarts: 0, lastFailure: expect.stringMatching(line) });
      await printed('rm /tmp/large');
      await waitFor(async () => (await harness.runtime.statusOf(webServiceId))?.lastFailure === undefined, MEASURED);
    });

    it('bounds a fork bomb, and other web services keep answering', async () => {
      const bomb = `( for i in $(seq ${harness.tasks * 2}); do sleep 5 >/dev/null 2>&1 & done ) 2>&1`;
      const [answer, during] = await Promise.all([printed(bomb), printed('echo here', other)]);
      expect(during).toBe('here\n');
      expect(answer).toMatch(/[Cc]annot fork|Resource temporarily unavailable/);
      expect(await printed('echo here', other)).toBe('here\n');
    });
  });
};
