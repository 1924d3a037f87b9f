import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from '@jest/globals';
import { MarkedProcesses } from './marked-processes.js';
import { BUILD_MARKER, INSTANCE_MARKER } from './process-markers.js';

const started: ChildProcess[] = [];

/** A shell in its own session; resolves when it has written its first line. */
const shell = async (script: string, environment: Record<string, string>): Promise<ChildProcess> => {
  const env = { PATH: process.env.PATH, ...environment };
  const child = spawn('/bin/sh', ['-c', script], { env, detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  started.push(child);
  await once(child.stdout!, 'data');
  return child;
};

const markedWith = async (value: string, marker?: string): Promise<readonly number[]> =>
  ((await new MarkedProcesses(marker).scan()).get(value) ?? []).map(({ pid }) => pid);

afterEach(() => {
  for (const { pid } of started.splice(0)) process.kill(-pid!, 'SIGKILL');
});

it('finds the processes of an instance and of a build, each by its marker', async () => {
  const instance = await shell('echo; read line', { [INSTANCE_MARKER]: 'shop-1' });
  const build = await shell('echo; read line', { [BUILD_MARKER]: 'shop-1' });
  expect(await markedWith('shop-1')).toEqual([instance.pid]);
  expect(await markedWith('shop-1', BUILD_MARKER)).toEqual([build.pid]);
});

it('finds a process by the environment of the program that it runs now', async () => {
  const next = `${INSTANCE_MARKER}=second /bin/sh -c 'echo; read line'`;
  const child = await shell(`echo; read line; exec env ${next}`, { [INSTANCE_MARKER]: 'first' });
  expect(await markedWith('first')).toEqual([child.pid]);
  child.stdin!.write('go on\n');
  await once(child.stdout!, 'data');
  expect(await markedWith('first')).toEqual([]);
  expect(await markedWith('second')).toEqual([child.pid]);
});

it('finds a process that clears its environment after a scan', async () => {
  const child = await shell(`echo; read line; exec env -i /bin/sh -c 'echo; read line'`, {
    [INSTANCE_MARKER]: 'shop-3',
  });
  expect(await markedWith('shop-3')).toEqual([child.pid]);
  child.stdin!.write('go on\n');
  await once(child.stdout!, 'data');
  expect(await markedWith('shop-3')).toEqual([child.pid]);
});

it('finds a process without an environment by the leader of its session', async () => {
  const child = await shell(`env -i /bin/sh -c 'echo; read line'; exit`, { [INSTANCE_MARKER]: 'shop-2' });
  const found = await markedWith('shop-2');
  expect(found).toContain(child.pid);
  expect(found).toHaveLength(2);
});
