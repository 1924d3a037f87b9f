import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from './wait-for.js';

describe('the servers of a process that was killed', () => {
  it.each([
    ['PostgreSQL', 'postgres.ts', "(await startPostgres({ durable: false })) && await find('postgres-')"],
    ['NATS', 'nats.ts', "(await startNats()) && await find('nats-')"],
  ])('%s is gone with its data soon after', async (_, module, start) => {
    const script = `
      import { ${module === 'nats.ts' ? 'startNats' : 'startPostgres'} } from ${JSON.stringify(new URL(module, import.meta.url).href)};
      import { execFileSync } from 'node:child_process';
      const find = kind => {
        const line = execFileSync('ps', ['-eo', 'pid=,ppid=,args=']).toString().split('\\n')
          .find(text => Number(text.trim().split(/ +/)[1]) === process.pid && !text.includes('postern-guard') && text.includes('postern-' + kind));
        return { pid: Number(line.trim().split(' ')[0]), dir: /\\S*postern-(postgres|nats)-\\w+/.exec(line)[0] };
      };
      console.log(JSON.stringify(${start}));
      setInterval(() => {}, 1000);`;
    const owner = spawn(
      process.execPath,
      [
        '--experimental-transform-types',
        '--no-warnings',
        '--import',
        typescriptImports,
        '--input-type=module',
        '-e',
        script,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = await owner.stdout.take(1).toArray();
    const { dir, pid } = JSON.parse(String(line));
    expect([existsSync(dir), isAlive(pid)]).toEqual([true, true]);
    owner.kill('SIGKILL');
    await waitFor(() => !existsSync(dir) && !isAlive(pid), { describe: `${pid} and ${dir} to be gone` });
  });
});

/** Lets Node.js run the sources themselves: `./x.js` is `./x.ts` there. */
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
