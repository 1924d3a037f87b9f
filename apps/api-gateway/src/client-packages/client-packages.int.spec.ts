import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@postern/testing';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';

const run = promisify(execFile);
let folder: string;
let gateway: GatewayUnderTest;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-packages-'));
  await mkdir(join(folder, 'package/bin'), { recursive: true });
  await writeFile(join(folder, 'package/bin/postern.mjs'), '#!/usr/bin/env node\nconsole.log("1.2.3");\n');
  await run('tar', ['-czf', join(folder, 'command.tgz'), '-C', folder, 'package']);
  await writeFile(join(folder, 'secret.tgz'), 'not for you');
  const port = await freePort();
  gateway = await startGateway({
    POSTERN_PACKAGES_DIR: folder,
    POSTERN_PORT: String(port),
    POSTERN_PUBLIC_URL: `http://127.0.0.1:${port}`,
  });
}, 60_000);
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the packages of an installation', () => {
  it('are archives, and nothing else in their folder is served', async () => {
    const answer = await call('GET', `${gateway.url}/packages/command.tgz`);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/gzip']);
    for (const path of ['secret.tgz', '..%2fsecret.tgz', 'package'])
      expect((await call('GET', `${gateway.url}/packages/${path}`)).status).toBe(404);
  });

  it('that are not built say so', async () => {
    const answer = await call('GET', `${gateway.url}/packages/sdk.tgz`);
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('npm run build')]);
  });

  it('include a script that installs the command for one user, and replaces an older one', async () => {
    const home = join(folder, "home of o'hara");
    const script = await call('GET', `${gateway.url}/install.sh`);
    expect([script.status, script.headers['content-type']]).toEqual([200, 'text/x-shellscript; charset=utf-8']);
    const env = { PATH: process.env['PATH'], HOME: home };
    await mkdir(join(home, '.local/share/postern-command/bin'), { recursive: true });
    await writeFile(join(home, '.local/share/postern-command/old'), '');
    const installing = run('sh', [], { env });
    installing.child.stdin?.end(script.text);
    const { stdout } = await installing;
    expect(stdout).toContain(`Installed postern 1.2.3 in ${home}/.local/bin`);
    expect(stdout).toContain(`Next: postern login --url ${gateway.url}`);
    expect((await run(join(home, '.local/bin/postern'), [], { env })).stdout).toBe('1.2.3\n');
    await expect(run('ls', [join(home, '.local/share/postern-command')])).resolves.toMatchObject({ stdout: 'bin\n' });
  });
});
