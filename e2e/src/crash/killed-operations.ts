import { join } from 'node:path';
import { expect } from '@jest/globals';
import { eventually, waitFor } from '@postern/testing';
import { request } from 'undici';
import { pathsBelow } from '../platform/machine-state.js';
import type { PlatformWorld } from '../platform/platform-world.js';
import { processesWith } from '../platform/processes.js';
import { BEGUN, ENDED, Gate } from './gate.js';
import { MarkedService } from './marked-service.js';

const WITHIN_MS = 60_000;
const INTERRUPTED = 'was interrupted before its result was known';

/** An operation during which a process is killed. */
export interface KilledOperation {
  /** Resolves when the operation is in progress and blocked, or ready to be requested. */
  begin(): Promise<void>;
  /** Requests that are sent while the process is killed. */
  meanwhile?(): Promise<void>;
  /** Unblocks the operation. */
  release?(): void;
  /** Waits for its end, and verifies the expected result. */
  verify(): Promise<void>;
}

export type Row = Readonly<Record<string, unknown>>;

/** Repeats a request until it is accepted, as clients do while a part of Postern is down. */
export const accepted = (platform: PlatformWorld, method: string, path: string, body?: unknown): Promise<Row> =>
  waitFor(
    async () => {
      const answer = await platform.world.callDashboardApi(method, path, body);
      if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    { timeoutMs: WITHIN_MS, intervalMs: 100, describe: `${method} ${path} to be accepted` },
  );

export const editing = (platform: PlatformWorld): KilledOperation => {
  let marked: MarkedService;
  const changes = () => ({
    start_command: `exec env EDITED=${marked.mark} node server.js ${marked.mark}`,
    drain_seconds: 5,
  });
  return {
    begin: async () => {
      marked = await MarkedService.running(platform);
    },
    meanwhile: async () => {
      await accepted(platform, 'PATCH', marked.service.path, changes());
    },
    verify: async () => {
      expect(await marked.service.read()).toMatchObject(changes());
      await marked.service.caller.post(`${marked.service.path}/restart`);
      await marked.service.untilStatus('running');
      await marked.until(() => marked.instances.length === 1, 'exactly one instance');
      expect(processesWith(`EDITED=${marked.mark}`).map(({ pid }) => pid)).toEqual(
        expect.arrayContaining([...marked.instances]),
      );
    },
  };
};

export const scaling = (platform: PlatformWorld): KilledOperation => {
  const start = Gate.create();
  let marked: MarkedService;
  const scaleTo = (number: number) =>
    accepted(platform, 'PATCH', marked.service.path, { min_instances: number, max_instances: number });
  return {
    begin: async () => {
      start.open();
      marked = await MarkedService.running(platform, { start });
      start.close();
      await scaleTo(3);
      await marked.until(() => marked.instances.length === 3, 'three instances');
    },
    release: () => start.open(),
    verify: async () => {
      await marked.service.untilStatus('running');
      await marked.until(() => marked.instances.length === 3, 'exactly three instances');
      expect(await marked.service.get()).toBe('200 one');
      await scaleTo(1);
      await marked.until(() => marked.instances.length === 1, 'exactly one instance');
      expect(await marked.service.get()).toBe('200 one');
    },
  };
};

export const deleting = (platform: PlatformWorld): KilledOperation => {
  const end = Gate.create();
  let marked: MarkedService;
  return {
    begin: async () => {
      marked = await MarkedService.running(platform, { end });
      await accepted(platform, 'DELETE', marked.service.path);
      await marked.until(() => end.visitsOf('/') > 0, 'the instance to receive SIGTERM');
    },
    release: () => end.open(),
    verify: async () => {
      const { id, path } = marked.service;
      await marked.until(() => marked.all.length === 0, 'no process');
      const home = join(platform.world.postern.home.folder, 'platform');
      await eventually(() => expect(pathsBelow(home).filter(each => each.includes(id))).toEqual([]), {
        timeoutMs: WITHIN_MS,
      });
      await eventually(() => expect(fetch(marked.url)).rejects.toThrow(), { timeoutMs: WITHIN_MS });
      expect((await platform.world.callDashboardApi('GET', path)).status).toBe(404);
    },
  };
};

/** Started at most once; also completed exactly once, unless the platform reported an interruption. */
const expectOnce = (gate: Gate, wasInterrupted: boolean): void => {
  const counts = [gate.visitsOf(BEGUN), gate.visitsOf(ENDED)];
  if (wasInterrupted) expect(counts[0]).toBeLessThanOrEqual(1);
  else expect(counts).toEqual([1, 1]);
};

export const releasing = (platform: PlatformWorld): KilledOperation => {
  const command = Gate.create();
  let marked: MarkedService;
  let deploymentId: string;
  return {
    begin: async () => {
      marked = await MarkedService.running(platform);
      await accepted(platform, 'PATCH', marked.service.path, { release_command: 'node command.js' });
      deploymentId = (await marked.deployTwo({ command })).id;
      await marked.until(() => command.visitsOf(BEGUN) === 1, 'the release command to begin');
    },
    release: () => command.open(),
    verify: async () => {
      const { status, error } = await marked.service.outcomeOf(deploymentId);
      const wasInterrupted = error?.includes(INTERRUPTED) ?? false;
      expect([status, error]).toEqual(wasInterrupted ? ['failed', error] : ['live', null]);
      expect(await marked.service.get()).toBe(wasInterrupted ? '200 one' : '200 two');
      expectOnce(command, wasInterrupted);
    },
  };
};

export const runningOnce = (platform: PlatformWorld): KilledOperation => {
  const command = Gate.create();
  let marked: MarkedService;
  let path: string;
  return {
    begin: async () => {
      marked = await MarkedService.running(platform, { command });
      const run = await accepted(platform, 'POST', `${marked.service.path}/runs`, { command: 'node command.js' });
      path = `${marked.service.path}/runs/${run['id']}`;
      await marked.until(() => command.visitsOf(BEGUN) === 1, 'the command to begin');
    },
    release: () => command.open(),
    verify: async () => {
      const run = await waitFor(
        async () => {
          const { body } = await platform.world.callDashboardApi('GET', path);
          return body['finished_at'] ? body : undefined;
        },
        { timeoutMs: WITHIN_MS, intervalMs: 200, describe: 'the end of the run' },
      );
      const wasInterrupted = String(run['reason']).includes(INTERRUPTED);
      expect(run).toMatchObject(wasInterrupted ? { status: 'failed' } : { status: 'succeeded', exit_code: 0 });
      expectOnce(command, wasInterrupted);
    },
  };
};

/** `sharedPort` is the load balancer port that routes by host name. */
export const verifyingDomain = (platform: PlatformWorld, domain: string, sharedPort: number): KilledOperation => {
  let marked: MarkedService;
  let path: string;
  return {
    begin: async () => {
      marked = await MarkedService.running(platform);
      const added = await accepted(platform, 'POST', `${marked.service.path}/domains`, { domain });
      path = `${marked.service.path}/domains`;
      const { name, value } = added['txt'] as { name: string; value: string };
      await platform.world.postern.dns.setText(name, value);
      path = `${path}/${added['id']}/verify`;
    },
    meanwhile: async () => {
      expect(await accepted(platform, 'POST', path)).toMatchObject({ domain, status: 'verified' });
    },
    verify: async () => {
      await eventually(
        async () => {
          const answer = await request(`http://127.0.0.1:${sharedPort}/`, { headers: { host: domain } });
          expect([answer.statusCode, await answer.body.text()]).toEqual([200, 'one']);
        },
        { timeoutMs: WITHIN_MS },
      );
    },
  };
};
