import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedPlatform } from '../stories.js';
import type { Service } from './platform-world.js';
import { webApp } from './repository.js';

const platform = await sharedPlatform();
/** A folder of the host, readable by all users: only the checks of the platform prevent serving it. */
let outside: string;

beforeAll(() => {
  outside = mkdtempSync(join(tmpdir(), 'postern-outside-'));
  writeFileSync(join(outside, 'index.html'), 'of the host');
});

afterAll(() => rmSync(outside, { recursive: true, force: true }));

describe('the URL of a repository', () => {
  it.each([
    'ext::sh -c touch% /tmp/owned',
    'ext::sh',
    'fd::17',
    '--upload-pack=touch /tmp/owned',
    '-uinfo@example.com:x',
    'https://user:password@example.com/x.git',
    'https://user@example.com/x.git',
    'https://@example.com/x.git',
    'ssh://git:password@example.com/x.git',
    'ssh://-oProxyCommand=touch/x.git',
    'git@-oProxyCommand=touch:x.git',
    'git@example.com:-x.git',
    'https://example.com/x.git\n--upload-pack=touch',
    'https://example.com/x.git%0ahost: evil',
    'https://example.com/x.git%0a',
    'https://example.com\\@evil.example/x.git',
    'https:///x.git',
    'git://example.com/x.git',
    'FILE:///etc',
    'file://host/etc',
    'data:text/plain,x',
    '/etc',
    '../x',
    '',
  ])('%p is refused with the name of the field', async url => {
    const { status, body } = await platform.writer.post('/web-services', {
      name: 'x',
      project_id: projectId,
      git_repository_url: url,
      port: 3000,
    });
    expect([status, body]).toEqual([400, { detail: expect.stringMatching(/^git_repository_url\b/) }]);
  });
  let projectId: string;
  beforeAll(async () => {
    projectId = await platform.project();
  });
});

describe('the branch of a deployment', () => {
  it.each(['--upload-pack=touch', '-x', 'a b', 'a..b', 'a\nb', 'HEAD', '@{-1}', 'refs/../x', 'a.lock', 'a~1', ''])(
    '%p is refused',
    async branch => {
      const { status, body } = await platform.writer.post(`${service.path}/deployments`, { branch });
      expect([status, body]).toEqual([400, { detail: expect.stringMatching(/^branch\b/) }]);
    },
  );
  let service: Service;
  beforeAll(async () => {
    service = await platform.service(webApp('one'));
  });
});

describe('a variable', () => {
  let service: Service;
  const set = (key: unknown, value: unknown) =>
    service.caller.post(`${service.path}/env`, { key, value, is_secret: false });

  const ODD = {
    QUOTES: `it's "quoted" \`id\` $(id) $HOME \\ %s`,
    LINES: 'one\ntwo\r\n\n',
    ENV: '/nowhere',
    HOME: '/nowhere',
    LD_LIBRARY_PATH: '/nowhere',
    UNICODE: 'ключ 🔑',
    EMPTY: '',
    BORDER: 'x'.repeat(65_536),
    BORDER_IN_BYTES: 'ä'.repeat(32_768),
    ['K'.repeat(255)]: 'a long key',
  };

  beforeAll(async () => {
    service = await platform.service(webApp('one'));
    for (const [key, value] of Object.entries(ODD))
      expect({ key, status: (await set(key, value)).status }).toEqual({ key, status: 201 });
    await service.deploy();
  }, 60_000);

  it.each(Object.keys(ODD))('%s reaches the process unchanged, up to 64 KiB', async key => {
    expect(await service.get(`/env?key=${key}`)).toBe(`200 ${JSON.stringify(ODD[key as keyof typeof ODD])}`);
  });

  it.each(['PORT', 'PATH', 'DISK_PATH', 'POSTERN_INSTANCE', 'POSTERN_ANYTHING'])('%s is reserved', async key => {
    const { status, body } = await set(key, 'mine');
    expect([status, body]).toEqual([400, { detail: expect.stringContaining(`The variable ${key} is reserved`) }]);
  });

  it('tell the process its web service and release', async () => {
    const read = async (key: string) => JSON.parse((await service.get(`/env?key=${key}`)).slice(4)) as unknown;
    expect(await read('NODE_ENV')).toBe('production');
    expect(await read('POSTERN_SERVICE_ID')).toBe(service.id);
    expect(await read('POSTERN_GIT_COMMIT')).toMatch(/^[0-9a-f]{40}$/);
    expect(await read('POSTERN_GIT_BRANCH')).toBe('main');
    expect(await read('POSTERN_PUBLIC_URL')).toMatch(/^https?:/);
  });

  it.each([
    ['an empty key', '', 'x', /^key/],
    ['a key with a digit in front', '1A', 'x', /^key/],
    ['a key with =', 'A=B', 'x', /^key/],
    ['a key with a newline', 'A\nB', 'x', /^key/],
    ['a key with a newline at its end', 'A\n', 'x', /^key/],
    ['a key in another script', 'КЛЮЧ', 'x', /^key/],
    ['a key of 256 characters', 'K'.repeat(256), 'x', /^key/],
    ['a value of 64 KiB and one', 'LONG', 'x'.repeat(65_537), /^value.*64 KiB/],
    ['a value of 64 KiB and one in bytes', 'LONG', `${'ä'.repeat(32_768)}x`, /^value.*64 KiB/],
    ['a value with NUL', 'NUL', 'a\0b', /^value.*NUL/],
    ['a value that is no string', 'NUMBER', 17, /^value/],
  ])('%s is refused', async (_, key, value, message) => {
    const { status, body } = await set(key, value);
    expect([status, body]).toEqual([400, { detail: expect.stringMatching(message) }]);
  });

  it('in a refused bulk request changes nothing', async () => {
    const before = (await service.caller.get(`${service.path}/env`)).body;
    const variables = [
      { key: 'NEW', value: 'x' },
      { key: '1A', value: 'x' },
    ];
    expect((await service.caller.put(`${service.path}/env/bulk`, { variables })).status).toBe(400);
    expect((await service.caller.get(`${service.path}/env`)).body).toEqual(before);
  });
});

it('more variables than a process can get fail the deployment with that reason', async () => {
  const service = await platform.service(webApp('one'));
  for (const half of ['A', 'B']) {
    const variables = Array.from({ length: 30 }, (_, n) => ({ key: `${half}${n}`, value: 'x'.repeat(65_536) }));
    expect((await service.caller.put(`${service.path}/env/bulk`, { variables })).status).toBe(200);
  }
  expect(await service.failure()).toMatch(/too large|too long/i);
}, 60_000);

describe('an unsafe symbolic link', () => {
  it.each([
    ['to a file', 'secret.txt', () => join(outside, 'index.html')],
    ['to a folder', 'folder', () => outside],
    ['by a relative path', 'up', () => '../../../../../../../../../etc'],
    ['in the place of the site', 'dist', () => outside],
    ['in the place of a Procfile', 'Procfile', () => join(outside, 'index.html')],
  ])(
    '%s is left out, and is not served',
    async (_, name, target) => {
      const service = await platform.service({ 'index.html': 'hello' });
      symlinkSync(target(), join(service.repository.folder, name));
      service.repository.commit({});

      await service.deploy();
      expect(await service.get('/')).toMatch(/^200 /);
      expect(await service.get(`/${name}`)).toMatch(/^404 /);
    },
    60_000,
  );

  it.each([
    ['straight', 'ln -s OUTSIDE/index.html x', 'x'],
    ['by way of another link', 'mkdir -p a/b; ln -s .. a/up; ln -s ../up/../../.. a/b/x', 'a/b/x'],
    ['in the place of the site', 'ln -s OUTSIDE dist', 'dist'],
    ['to nothing inside', 'ln -s gone x', 'x'],
    ['back to its own folder', 'mkdir a; ln -s .. a/x', 'a/x'],
    ['to itself', 'ln -s x x', 'x'],
  ])(
    '%s and is created by a build is not served either',
    async (_, command, name) => {
      const service = await platform.service(
        { 'index.html': 'x' },
        { build_command: command.replace('OUTSIDE', outside) },
      );
      expect(await service.failure()).toMatch(
        new RegExp(`^the link ${name} (points outside the site|is broken or circular)$`),
      );
    },
    60_000,
  );

  it.each(['Procfile', 'package.json', 'index.html'])(
    'created by a build as %s is not read',
    async name => {
      writeFileSync(join(outside, 'Procfile'), 'web: node server.js');
      writeFileSync(join(outside, 'package.json'), '{"scripts":{"start":"node server.js"}}');
      const service = await platform.service({ 'README.md': 'x' }, { build_command: `ln -s ${outside}/${name} .` });
      expect(await service.failure()).toMatch(/^no start command/);
    },
    60_000,
  );
});

describe('a build', () => {
  it('whose repository does not exist fails with that reason', async () => {
    const service = await platform.service(webApp('one'));
    service.repository.remove();
    expect(await service.failure()).toMatch(/not (be )?(found|exist)|no (such )?repository|does not exist/i);
  }, 60_000);

  it('with endless output has its log truncated, and keeps the end', async () => {
    const service = await platform.service(webApp('one'), {
      build_command: `head -c 60000000 /dev/zero | tr '\\0' 'x'; echo; seq 1 400000; echo the end`,
    });
    await service.deploy();

    const lines = await service.logs('?tail=10000');
    const messages = lines.map(({ message }) => message);
    expect(messages.join('\n')).toMatch(/log lines were dropped|is not kept/);
    expect(Math.max(...messages.map(({ length }) => length))).toBeLessThan(20_000);
    expect(await service.get()).toBe('200 one');
  }, 60_000);
});
