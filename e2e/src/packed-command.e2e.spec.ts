import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();
const sender = await world.sender('Packed', 'packed.example.com');
const url = world.postern.baseUrl;
/** The package that installations serve, which has no dependencies. */
const PACKAGE = join(import.meta.dirname, '../../apps/documentation/dist/packages/command.tgz');
const project = mkdtempSync(join(tmpdir(), 'postern-packed-'));

beforeAll(async () => {
  writeFileSync(join(project, 'package.json'), '{"private": true}');
  const args = ['install', '--offline', '--no-audit', '--no-fund', PACKAGE];
  await promisify(execFile)('npm', args, { cwd: project });
}, 120_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Runs the installed command without access to the checkout. */
const postern = async (args: readonly string[], stdin = '') => {
  const env = { PATH: process.env['PATH'], HOME: project, XDG_CONFIG_HOME: join(project, 'config') };
  const running = promisify(execFile)(join(project, 'node_modules/.bin/postern'), args, { env });
  running.child.stdin?.end(stdin);
  const { stdout } = await running;
  return stdout;
};

describe('the packed command in an empty project', () => {
  it('contains its license, its description and the program', () => {
    const folder = join(project, 'node_modules/@postern/command');
    expect(readdirSync(folder).sort()).toEqual(['LICENSE', 'README.md', 'bin', 'dist', 'package.json']);
    const files = readdirSync(folder, { recursive: true }) as string[];
    expect(files.filter(file => /\.spec\.|\.map$|\.ts$/.test(file))).toEqual([]);
  });

  it('prints its help, its version, and the help of a command', async () => {
    const help = await postern(['--help']);
    const { version } = JSON.parse(
      readFileSync(join(project, 'node_modules/@postern/command/package.json'), 'utf8'),
    ) as { version: string };
    expect((await postern(['--version'])).trim()).toBe(version);
    const commands = [...help.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name as string);
    expect(commands).toEqual(expect.arrayContaining(['login', 'send', 'emails', 'webhooks', 'deploy', 'logs', 'mcp']));
    expect(await postern(['login', '--help'])).toContain('postern login --url');
  }, 120_000);

  it('logs in to a running Postern, and sends a message', async () => {
    expect(await postern(['login', '--url', url], `${sender.apiKey}\n`)).toContain(`Stored the email key for ${url}`);
    const message = ['--from', 'shop@packed.example.com', '--to', 'delivered@simulator.test'];
    const sent = await postern(['send', ...message, '--subject', 'Packed', '--text', 'It works.', '--json']);
    expect(JSON.parse(sent)).toMatchObject({ status: 'sent', mode: 'production' });
  }, 60_000);

  it('explains where to run commands for administrators', async () => {
    await expect(postern(['doctor'])).rejects.toMatchObject({
      stderr: expect.stringContaining('Run it where Postern is installed'),
    });
  });
});
