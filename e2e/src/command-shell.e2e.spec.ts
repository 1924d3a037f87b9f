import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { CommandRunner } from './command/command-runner.js';
import type { Service } from './platform/platform-world.js';
import { processesWith } from './platform/processes.js';
import { sharedPlatform } from './stories.js';

const SERVER = "require('node:http').createServer((_, response) => response.end('Hello')).listen(process.env.PORT);";
const FILES = { 'server.js': SERVER, Procfile: 'web: node server.js' };

const platform = await sharedPlatform();
const name = `shell-${Date.now()}`;
const POSTERN_URL = platform.world.postern.baseUrl;
const runner = new CommandRunner({ POSTERN_URL, POSTERN_PLATFORM_KEY: platform.writer.key });
const reader = new CommandRunner({ POSTERN_URL, POSTERN_PLATFORM_KEY: platform.reader.key });

let service: Service;

beforeAll(async () => {
  service = await platform.service(FILES, { name });
  await platform.writer.post(`${service.path}/env`, { key: 'GREETING', value: 'good morning', is_secret: false });
  await service.deploy();
}, 90_000);
afterAll(() => {
  runner.stop();
  reader.stop();
});

describe('postern shell', () => {
  /** Runs `postern shell` in a terminal, as people do. */
  const inTerminal = () => runner.inTerminal(['shell', name]);

  it('opens a shell with a terminal and the environment of the release, and ends with its exit status', async () => {
    const shell = inTerminal();
    shell.type('stty cols 91 rows 17; tty -s && echo "$GREETING, $(stty size) grüße"; exit 3\n');
    await shell.until(/good morning, 17 91 grüße/);
    expect((await shell.ended).code).toBe(3);
  }, 60_000);

  it('passes Ctrl-C to the program, and the shell continues', async () => {
    const shell = inTerminal();
    shell.type('echo be"gun"; sleep 600\n');
    await shell.until(/begun/);
    shell.type('\x03');
    shell.type('echo "status $?"; exit\n');
    await shell.until(/status 130/);
    await shell.ended;
  }, 60_000);

  it('reads from a pipe, and runs a command with its arguments', async () => {
    const { code, out } = await runner.run(['shell', name], 'echo "two plus $((1 + 1))"; exit 5\n');
    expect([code, out]).toEqual([5, expect.stringContaining('two plus 2')]);
    const command = ['shell', name, '--', 'sh', '-c', 'test -t 0 && echo "in a terminal"; exit 7'];
    expect(await runner.run(command)).toMatchObject({ code: 7, out: 'in a terminal\r\n' });
  }, 60_000);

  it('ends all of its programs when the client disappears', async () => {
    const shell = inTerminal();
    const marker = `shell-${Date.now()}`;
    shell.type(`(exec -a ${marker} sleep 600) & exec -a ${marker} sleep 600\n`);
    await waitFor(() => processesWith(marker).length === 2, { describe: 'the programs' });
    shell.kill();
    await waitFor(() => processesWith(marker).length === 0, { describe: 'the end of the programs' });
    const run = await waitFor(
      async () => {
        const { body } = await platform.writer.get(`${service.path}/runs`);
        const [newest] = body['items'] as { finished_at: string | null }[];
        return newest!.finished_at === null ? undefined : newest;
      },
      { describe: 'the end of the run' },
    );
    expect(run).toMatchObject({ status: 'cancelled', exit_code: null, command: expect.stringContaining('bash') });
  }, 60_000);

  it('needs a key with write access, and a release', async () => {
    const { code, err } = await reader.run(['shell', name]);
    expect([code, err]).toEqual([1, expect.stringContaining('write')]);
    const fresh = await platform.service(FILES, { name: `${name}-fresh` });
    expect(await runner.run(['shell', fresh.id])).toMatchObject({
      code: 1,
      err: expect.stringContaining('No successful deployment'),
    });
  }, 60_000);
});
