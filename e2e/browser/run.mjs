/**
 * `npm run browser [part of a path …]`: checks pages in Chromium: the binary named by CHROMIUM, an installed one, or a Debian
 * package. `npm run browser -- stranger` follows the documentation from a clone to a verified webhook and a deployed application,
 * and times each step.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepare, ROOT, toolEnvironment } from '../../tools/setup/prepare.mjs';

await prepare(line => console.error(`▸ ${line}`));
const args = process.argv.slice(2);
const program = join(ROOT, 'e2e/dist/browser', args[0] === 'stranger' ? 'stranger.js' : 'main.js');
const child = spawn('node', [program, ...args], { stdio: 'inherit', env: toolEnvironment() });
child.on('exit', code => process.exit(code ?? 1));
