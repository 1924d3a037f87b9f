/**
 * `node e2e/clients/sdk.mjs`: packs the SDK, installs it into an empty project, and runs a program with it on Node.js, Bun and
 * Deno against a running Postern. Run manually, because npm fetches Bun and Deno (about 200 MB).
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { prepare, ROOT, toolEnvironment } from '../../tools/setup/prepare.mjs';
import { keysIn, startPostern } from './postern.mjs';

const run = promisify(execFile);
const RUNTIMES = {
  node: ['node', 'program.mjs'],
  bun: ['node_modules/.bin/bun', 'run', 'program.mjs'],
  deno: ['node_modules/.bin/deno', 'run', '--allow-env', '--allow-net', '--allow-read', 'program.mjs'],
};

await prepare(line => console.error(`▸ ${line}`));
const folder = mkdtempSync(join(tmpdir(), 'postern-sdk-'));
const env = toolEnvironment();
writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: join(ROOT, 'libs/sdk'), env });
const packed = (await run('ls', [folder])).stdout.split('\n').find(name => name.endsWith('.tgz'));
await run('npm', ['install', '--no-audit', '--no-fund', `./${packed}`, 'bun@1', 'deno@2'], { cwd: folder, env });
copyFileSync(join(import.meta.dirname, 'sdk-program.mjs'), join(folder, 'program.mjs'));

const postern = await startPostern();
try {
  const keys = await keysIn(postern);
  for (const [runtime, [command, ...args]] of Object.entries(RUNTIMES)) {
    const outcome = await run(command, args, { cwd: folder, env: { ...env, ...keys } }).then(
      () => 'works',
      error => `failed: ${error.stderr || error.message}`,
    );
    console.log(`${runtime}: ${outcome}`);
    if (outcome !== 'works') process.exitCode = 1;
  }
} finally {
  postern.child.stdin.end();
  await once(postern.child, 'exit');
  rmSync(folder, { recursive: true, force: true });
}
