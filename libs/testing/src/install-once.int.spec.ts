import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installOnce } from './install-once.js';

const run = promisify(execFile);
const MODULE = join(import.meta.dirname, '../dist/install-once.js');

/** A process that installs a program slowly, and prints the version that it has found or installed. */
const PROCESS = `
  import { appendFile, readFile, writeFile } from 'node:fs/promises';
  import { setTimeout as pause } from 'node:timers/promises';
  const [module, folder] = process.argv.slice(1);
  const { installOnce } = await import(module);
  const find = () => readFile(folder + '/program', 'utf8').catch(() => undefined);
  const install = async () => {
    await appendFile(folder + '/installations', process.pid + '\\n');
    await pause(300);
    await writeFile(folder + '/program', '1.0');
    return '1.0';
  };
  console.log(await installOnce(folder, 'program', { find, install }));
`;

describe('a program that several processes need', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postern-install-'));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is installed by one of them, and found by the others', async () => {
    const process = () => run('node', ['--input-type=module', '-e', PROCESS, MODULE, folder]);
    const found = await Promise.all([process(), process(), process(), process()]);
    expect(found.map(({ stdout }) => stdout.trim())).toEqual(['1.0', '1.0', '1.0', '1.0']);
    expect((await readFile(join(folder, 'installations'), 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  it('is installed concurrently with another one in the same process', async () => {
    const installed = (name: string, ms: number) =>
      installOnce(folder, name, { find: async () => undefined, install: () => pause(ms, name) });
    const programs = [installed('quick', 1), installed('slow', 200)];
    await expect(Promise.all(programs)).resolves.toEqual(['quick', 'slow']);
  });
});
