import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { CommandRunner } from './command/command-runner.js';
import type { Service } from './platform/platform-world.js';
import { sharedPlatform } from './stories.js';

const SERVER = `
console.log('started with', process.env.GREETING ?? 'nothing', process.env.TOKEN ?? '');
require('node:http').createServer((request, response) => {
  console.log('request', request.url);
  response.end('Hello');
}).listen(process.env.PORT);
`;
const FILES = { 'server.js': SERVER, Procfile: 'web: node server.js' };

const platform = await sharedPlatform();
const name = `storefront-${Date.now()}`;
let service: Service;
const runner = new CommandRunner({
  POSTERN_URL: platform.world.postern.baseUrl,
  POSTERN_PLATFORM_KEY: platform.writer.key,
});
const reader = new CommandRunner({
  POSTERN_URL: platform.world.postern.baseUrl,
  POSTERN_PLATFORM_KEY: platform.reader.key,
});

beforeAll(async () => {
  service = await platform.service(FILES, { name });
});
afterAll(() => {
  runner.stop();
  reader.stop();
});

describe('postern env', () => {
  it('sets, lists and deletes variables', async () => {
    const args = ['--service', name];
    await writeFile(join(runner.folder, '.env'), 'REGION=eu\nGREETING="good morning"\n');
    const { code, out } = await runner.run(['env', 'set', '--file', '.env', 'LEVEL=debug', ...args, '--json']);
    expect(code).toBe(0);
    expect((JSON.parse(out) as { created: string[] }).created.sort()).toEqual(['GREETING', 'LEVEL', 'REGION']);
    expect((await runner.run(['env', 'set', 'TOKEN', '--secret', ...args], 'hidden value\n')).code).toBe(0);
    expect((await runner.run(['env', 'set', 'TOKEN', ...args], 'hidden value\n')).code).toBe(0);

    const listed = await runner.run(['env', 'list', ...args]);
    expect(listed.out).toMatch(/GREETING +good morning/);
    expect(listed.out).toMatch(/TOKEN +\*{8} +secret/);

    expect((await runner.run(['env', 'unset', 'LEVEL', 'REGION', ...args])).code).toBe(0);
    expect((await runner.run(['env', 'list', ...args])).out).not.toMatch(/LEVEL|REGION/);
    const unknown = await runner.run(['env', 'unset', 'GREETING', 'MISSING', ...args]);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('no variable MISSING')]);
    expect((await runner.run(['env', 'list', ...args])).out).toMatch(/GREETING/);
  });

  it('accepts no secret as an argument', async () => {
    const { code, err } = await runner.run(['env', 'set', 'TOKEN=hidden', '--secret', '--service', name]);
    expect([code, err]).toEqual([2, expect.stringContaining('standard input')]);
  });

  it('fails with a read-only key', async () => {
    const { code, err } = await reader.run(['env', 'set', 'LEVEL=debug', '--service', name]);
    expect([code, err]).toEqual([1, expect.stringContaining('write')]);
  });
});

describe('postern deploy', () => {
  it('waits until the deployment is live', async () => {
    const { code, out, err } = await runner.run(['deploy', name]);
    expect([code, err]).toEqual([0, expect.stringContaining('live')]);
    // The log of the build is printed as it is written, on standard error.
    expect(err).toMatch(/Deployment \S+ begins: [\s\S]*Fetching [\s\S]*deployment \S+ is live/);
    expect(err).not.toContain('Terminated');
    const url = /Live: (\S+)/.exec(out)?.[1] ?? '';
    expect(await (await fetch(url)).text()).toBe('Hello');
    expect((await runner.run(['open', name, '--print'])).out.trim()).toBe(url);
  }, 90_000);

  it('fails when the deployment fails, and prints the reason', async () => {
    const broken = await platform.service({ 'README.md': 'Nothing to run' }, { name: `broken-${name}` });
    const { code, out, err } = await runner.run(['deploy', broken.id, '--json']);
    expect(code).toBe(1);
    const { error } = JSON.parse(out) as { error: { message: string; deployment: { id: string; status: string } } };
    expect(error.deployment.status).toBe('failed');
    expect(err).toContain(`postern deployments logs ${error.deployment.id}`);
  }, 90_000);

  it('lists the existing web services if the name is unknown', async () => {
    const { code, err } = await runner.run(['deploy', 'missing']);
    const listed = expect.stringMatching(/There is no web service "missing".*\n {2}[0-9a-f-]{36} {2}\S/);
    expect([code, err]).toEqual([2, listed]);
  });
});

describe('postern logs', () => {
  it('prints the log with masked secrets', async () => {
    const printed = await waitFor(
      async () => {
        const { out } = await runner.run(['logs', name, '--tail', '1000', '--since', '1h']);
        return out.includes('started with good morning') ? out : undefined;
      },
      { timeoutMs: 20_000, intervalMs: 300, describe: 'the line of the start' },
    );
    expect(printed).not.toContain('hidden value');
    const { out } = await runner.run(['logs', name, '--tail', '1', '--json']);
    expect(JSON.parse(out)).toHaveProperty('message');
  });

  it('follows the log until Ctrl-C', async () => {
    const following = runner.start(['logs', name, '-f', '--tail', '1']);
    const path = `/visit-${Date.now()}`;
    await following.until(/stdout|stderr|build/);
    await service.get(path);
    await following.until(new RegExp(`request ${path}`));
    expect((await following.interrupt()).code).toBe(0);
  }, 60_000);
});

describe('postern exec', () => {
  it('prints both outputs of the command separately, and ends with its exit status', async () => {
    const { code, out, err } = await runner.run(['exec', name, 'seq 1500; echo "it fails with $GREETING" >&2; exit 7']);
    expect([code, out.split('\n').length, out.slice(-10)]).toEqual([7, 1_501, '1499\n1500\n']);
    expect(err).toMatch(/^it fails with good morning$/m);
    expect(err).toContain('failed: exited with code 7');
  }, 60_000);

  it('gives the program its arguments unchanged', async () => {
    const { code, out } = await runner.run(['exec', name, '--', 'printf', '%s\\n', 'two  words', '$HOME', "it's"]);
    expect([code, out]).toEqual([0, "two  words\n$HOME\nit's\n"]);
  }, 60_000);

  it('prints the output while the command runs, and ends it on Ctrl-C', async () => {
    const running = runner.start(['exec', name, 'echo begun; sleep 600']);
    await running.until(/begun/);
    const { code, err } = await running.interrupt();
    expect([code, err]).toEqual([130, expect.stringContaining('cancelled')]);
    const { body } = await platform.writer.get(`/web-services/${service.id}/runs`);
    expect((body['items'] as unknown[])[0]).toMatchObject({ status: 'cancelled', exit_code: null });
  }, 60_000);

  it('needs a key with write access', async () => {
    const { code, err } = await reader.run(['exec', name, 'true']);
    expect([code, err]).toEqual([1, expect.stringContaining('write')]);
  });
});

describe('postern deploy --local', () => {
  it('deploys the files of a folder that .gitignore does not exclude, and the same upload again', async () => {
    const folder = join(runner.folder, 'shop');
    await mkdir(folder);
    await writeFile(join(folder, 'server.js'), SERVER.replace('Hello', 'Local'));
    await writeFile(join(folder, 'Procfile'), 'web: ls; node server.js\n');
    await writeFile(join(folder, '.gitignore'), 'ignored\n');
    await writeFile(join(folder, 'ignored'), '');
    const { code, out, err } = await runner.run(['deploy', name, '--local', folder]);
    expect([code, err]).toEqual([0, expect.stringContaining('Uploading 3 files')]);
    const url = /Live: (\S+)/.exec(out)?.[1] ?? '';
    expect(await (await fetch(url)).text()).toBe('Local');

    const path = `/web-services/${service.id}/deployments`;
    const { body } = await platform.writer.get(path);
    const items = body['items'] as { id: string }[];
    expect(items[0]).toMatchObject({ commit: null, upload: { digest: expect.stringMatching(/^[0-9a-f]{64}$/) } });
    const again = await runner.run(['deploy', name]);
    expect([again.code, await (await fetch(url)).text()]).toEqual([0, 'Hello']);
    await platform.writer.post(path, { upload_of: items[0]!.id });
    await waitFor(async () => (await (await fetch(url)).text()) === 'Local' || undefined, {
      timeoutMs: 60_000,
      intervalMs: 300,
      describe: 'the uploaded source',
    });
  }, 180_000);
});
