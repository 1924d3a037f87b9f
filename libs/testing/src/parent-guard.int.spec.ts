import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from './wait-for.js';

describe('the servers of a process that was killed', () => {
  let temporary: string;
  beforeEach(async () => {
    temporary = await mkdtemp(join(tmpdir(), 'postern-guard-'));
    await chmod(temporary, 0o755);
  });
  afterEach(() => rm(temporary, { recursive: true, force: true }));

  const foldersLeft = () => readdir(temporary);

  it.each([
    ['PostgreSQL', 'startPostgres', './postgres.ts'],
    ['NATS', 'startNats', './nats.ts'],
  ])('%s ends soon after, and its data is deleted', async (_, start, module) => {
    const script = `
      import { ${start} } from ${JSON.stringify(new URL(module, import.meta.url).href)};
      process.stdout.write(String((await ${start}()).pid));
      setInterval(() => {}, 1000);`;
    const flags = ['--experimental-transform-types', '--no-warnings', '--import', typescriptImports];
    const owner = spawn(process.execPath, [...flags, '--input-type=module', '-e', script], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await owner.stdout.take(1).toArray();
    const pid = Number(String(line));
    expect(isAlive(pid)).toBe(true);
    expect(await foldersLeft()).toHaveLength(1);
    owner.kill('SIGKILL');
    await waitFor(async () => !isAlive(pid) && (await foldersLeft()).length === 0, {
      describe: `process ${pid} and its folder to be gone`,
    });
  });
});

/** Makes Node.js run the sources: `./x.js` is `./x.ts` there. */
const typescriptImports = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ resolve: (name, context, next) =>
    next(/^\\.\\.?\\/.*\\.js$/.test(name) && context.parentURL?.endsWith('.ts') ? name.replace(/\\.js$/, '.ts') : name, context) });`)}`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
