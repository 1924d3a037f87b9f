import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();
const sender = await world.sender('Installed', 'installed.example.com');
const url = world.postern.baseUrl;
const folder = mkdtempSync(join(tmpdir(), 'postern-installed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const environment = {
  PATH: process.env['PATH'],
  HOME: folder,
  // Go compiles its standard library only once for a machine.
  GOCACHE: process.env['GOCACHE'] ?? join(homedir(), '.cache/go-build'),
  POSTERN_URL: url,
  POSTERN_EMAIL_KEY: sender.apiKey,
};
const run = async (program: string, args: readonly string[], cwd = folder, stdin = '') => {
  const running = promisify(execFile)(program, args, { cwd, env: environment });
  if (stdin) running.child.stdin?.end(stdin);
  return (await running).stdout;
};

const page = (name: string) => readFileSync(join(import.meta.dirname, `../../docs/email/${name}.md`), 'utf8');
const isInstalled = (program: string) =>
  run('sh', ['-c', `command -v ${program}`]).then(
    () => true,
    () => false,
  );

describe('an empty machine with Node.js and no package registry', () => {
  it('installs the library from the installation, and sends a message with the example of its page', async () => {
    const project = join(folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"private": true}');
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `${url}/packages/sdk.tgz`], project).catch(
      // npm refuses every URL with --offline; a registry that does not exist must not be needed.
      () =>
        run(
          'npm',
          ['install', '--registry', 'http://127.0.0.1:9', '--no-audit', '--no-fund', `${url}/packages/sdk.tgz`],
          project,
        ),
    );
    const [, example = ''] = /```js sdk file=send\.mjs\n([\s\S]*?)```/.exec(page('sdk')) ?? [];
    writeFileSync(join(project, 'send.mjs'), example.replaceAll('orders@example.com', 'orders@installed.example.com'));
    expect(await run('node', ['send.mjs'], project)).toMatch(/^[0-9a-f-]{36} sent\n$/);
  }, 120_000);

  const lines = (...commands: readonly string[]) => commands.join('\n');
  it.each([
    ['Python', 'python3', 'send.py', 'pip install', 'python3 send.py'],
    ['Go', 'go', 'main.go', 'curl', 'go run .'],
    ['PHP', 'php', 'send.php', 'curl', 'php send.php'],
    ['Ruby', 'ruby', 'send.rb', 'curl', 'ruby -I postern/lib send.rb'],
  ])(
    'with %s, installs its library and sends a message with the example of its page',
    async (language, program, file, install, runs) => {
      if (!(await isInstalled(program))) return;
      const project = mkdtempSync(join(folder, 'project-'));
      const [, section = ''] = page('libraries').split(`## ${language}\n`);
      const [, commands = ''] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
      const [, example = ''] = new RegExp(`client file=${file}\\n([\\s\\S]*?)\`\`\``).exec(section) ?? [];
      expect([commands, example]).toEqual([expect.stringContaining(install), expect.stringContaining('receipt-17')]);
      writeFileSync(join(project, file), example.replaceAll('orders@example.com', 'orders@installed.example.com'));
      const before =
        {
          Go: 'go mod init example 2> /dev/null',
          Python: 'python3 -m venv v && . v/bin/activate',
        }[language] ?? ':';
      // No registry is needed.
      const offline = commands.replace('pip install', 'pip install --quiet --no-index');
      expect(await run('sh', ['-ec', lines(before, offline, runs)], project)).toMatch(/^[0-9a-f-]{36} sent\n$/);
    },
    240_000,
  );

  it('installs the command with one line, and sends a message with it', async () => {
    const script = await (await fetch(`${url}/install.sh`)).text();
    expect(await run('sh', [], folder, script)).toContain(`Next: postern login --url ${url}`);
    const command = join(folder, '.local/bin/postern');
    const message = ['--from', 'shop@installed.example.com', '--to', 'delivered@simulator.test'];
    const sent = await run(command, ['send', ...message, '--subject', 'Installed', '--text', 'It works.', '--json']);
    expect(JSON.parse(sent)).toMatchObject({ status: 'sent', mode: 'production' });
    const files = readdirSync(join(folder, '.local/share/postern-command'), { recursive: true }) as string[];
    expect(files.sort()).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'bin/postern.mjs', 'dist/main.js', 'package.json']),
    );
    expect(files.filter(file => file.includes('node_modules'))).toEqual([]);
  }, 120_000);

  it('reads every page of the documentation as Markdown, from the list for programs', async () => {
    const list = await (await fetch(`${url}/llms.txt`)).text();
    const pages = [...list.matchAll(/\]\((\/docs\/[^)]+\.md)\)/g)].map(([, path = '']) => path);
    expect(pages.length).toBeGreaterThan(35);
    for (const path of pages) {
      const answer = await fetch(url + path);
      expect([path, answer.status, (await answer.text()).startsWith('# ')]).toEqual([path, 200, true]);
    }
  });
});
