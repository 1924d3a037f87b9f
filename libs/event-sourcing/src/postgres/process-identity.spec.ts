import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { identityOfThisProcess, isDead } from './process-identity.js';

const own = identityOfThisProcess() ?? '';
const [, boot = '', namespace = '', pid = ''] = /^(\S+) (\S+) (\S+) \S+$/.exec(own) ?? [];

const endedPid = async (): Promise<number> => {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid as number;
};

describe('a process', () => {
  it('is not dead while it runs, also if it is paused', async () => {
    expect(isDead(own)).toBe(false);
    const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    child.kill('SIGSTOP');
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'latin1');
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    expect(isDead(`${boot} ${namespace} ${child.pid} ${start}`)).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isDead(`${boot} ${namespace} ${child.pid} ${start}`)).toBe(true);
  });

  it('is dead when another one has its id', () => expect(isDead(`${boot} ${namespace} ${pid} 1`)).toBe(true));

  it.each([
    ['of another machine or boot', async () => `${boot.replace(/^.{4}/, 'ffff')} ${namespace} ${await endedPid()} 1`],
    ['of another container', async () => `${boot} pid:[1] ${await endedPid()} 1`],
    ['that nothing identifies', async () => ''],
    ['with an id of a group', async () => `${boot} ${namespace} -1 1`],
  ])('%s may be alive', async (_, identity) => expect(isDead(await identity())).toBe(false));

  it('may be alive where the kernel does not tell who asks', async () =>
    expect(isDead(`${boot} ${namespace} ${await endedPid()} 1`, '')).toBe(false));
});
