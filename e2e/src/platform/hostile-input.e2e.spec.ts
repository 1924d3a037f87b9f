import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformWorld, type Service } from './platform-world.js';
import { webApp } from './repository.js';

let platform: PlatformWorld;
/** Of the host, and readable by everybody: only the platform's own care keeps it from being served. */
let outside: string;

beforeAll(async () => {
  outside = mkdtempSync(join(tmpdir(), 'postern-outside-'));
  writeFileSync(join(outside, 'index.html'), 'of the host');
  platform = await PlatformWorld.start();
}, 120_000);

afterAll(async () => {
  rmSync(outside, { recursive: true, force: true });
  await platform.stop();
});

const logOf = async (service: Service): Promise<string> =>
  (await service.logs('?tail=10000')).map(({ message }) => message).join('\n');

const failureOf = async (service: Service): Promise<string | null> => {
  const { id } = await service.requestDeployment();
  const { status, error } = await service.outcomeOf(id);
  expect(status).toBe('failed');
  return error;
};

describe('the address of a repository', () => {
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
  ])('%p is refused by the name of the field', async url => {
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
    for (const [key, value] of Object.entries({ ...ODD, PORT: '1', POSTERN_INSTANCE: 'mine', POSTERN_BUILD: 'mine' }))
      expect({ key, status: (await set(key, value)).status }).toEqual({ key, status: 201 });
    await service.deploy();
  }, 60_000);

  it.each(Object.keys(ODD))('%s reaches the process as it was set, up to 64 KiB', async key => {
    expect(await service.ask(`/env?key=${key}`)).toBe(`200 ${JSON.stringify(ODD[key as keyof typeof ODD])}`);
  });

  it.each(['PORT', 'POSTERN_INSTANCE'])('%s is what the platform says', async key => {
    expect(await service.ask(`/env?key=${key}`)).not.toMatch(/"(1|mine)"/);
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
  ])('%s is refused', async (_, key, value, words) => {
    const { status, body } = await set(key, value);
    expect([status, body]).toEqual([400, { detail: expect.stringMatching(words) }]);
  });

  it('in a bulk request that is refused leaves everything as it was', async () => {
    const before = (await service.caller.get(`${service.path}/env`)).body;
    const variables = [
      { key: 'NEW', value: 'x' },
      { key: '1A', value: 'x' },
    ];
    expect((await service.caller.put(`${service.path}/env/bulk`, { variables })).status).toBe(400);
    expect((await service.caller.get(`${service.path}/env`)).body).toEqual(before);
  });
});

it('more variables than a process can be given fail the deployment with words for that', async () => {
  const service = await platform.service(webApp('one'));
  for (const half of ['A', 'B']) {
    const variables = Array.from({ length: 30 }, (_, n) => ({ key: `${half}${n}`, value: 'x'.repeat(65_536) }));
    expect((await service.caller.put(`${service.path}/env/bulk`, { variables })).status).toBe(200);
  }
  expect(await failureOf(service)).toMatch(/too large|too long/i);
}, 60_000);

describe('a link that leads elsewhere', () => {
  it.each([
    ['to a file', 'secret.txt', () => join(outside, 'index.html')],
    ['to a folder', 'folder', () => outside],
    ['by a relative way', 'up', () => '../../../../../../../../../etc'],
    ['in the place of the site', 'dist', () => outside],
    ['in the place of a Procfile', 'Procfile', () => join(outside, 'index.html')],
  ])(
    '%s fails the deployment, and is not served',
    async (_, name, target) => {
      const service = await platform.service({ 'index.html': 'hello' });
      symlinkSync(target(), join(service.repository.folder, name));
      service.repository.commit({});

      expect(await failureOf(service)).toBe(`the link ${name} in the repository leads out of it`);
      expect((await service.ask(`/${name}`)).slice(0, 3)).toBe('503');
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
    '%s and is made by a build is not served either',
    async (_, command, name) => {
      const service = await platform.service(
        { 'index.html': 'x' },
        { build_command: command.replace('OUTSIDE', outside) },
      );
      expect(await failureOf(service)).toMatch(
        new RegExp(`^the link ${name} leads (out of the site|nowhere or in a circle)$`),
      );
    },
    60_000,
  );

  it.each(['Procfile', 'package.json', 'index.html'])(
    'and is made by a build in the place of %s is not read',
    async name => {
      writeFileSync(join(outside, 'Procfile'), 'web: node server.js');
      writeFileSync(join(outside, 'package.json'), '{"scripts":{"start":"node server.js"}}');
      const service = await platform.service({ 'README.md': 'x' }, { build_command: `ln -s ${outside}/${name} .` });
      expect(await failureOf(service)).toMatch(/^nothing starts this service/);
    },
    60_000,
  );
});

const isRoot = process.getuid?.() === 0;

describe('what a build and a service can see of the host', () => {
  const SNOOP = `
    cat HOME/secrets.json HOME/ready.json HOME/nats.conf;
    ls -R HOME HOME/platform HOME/platform/* HOME/postgres;
    cat /proc/[0-9]*/environ | tr '\\0' '\\n';
    id -u`;

  it('holds no secret of the platform, nor of other services', async () => {
    if (!isRoot) {
      console.warn('not told: without root, services run as the user of the platform, and may read what it may');
      return;
    }
    const neighbour = await platform.service(webApp('neighbour'));
    const secret = { key: 'NEIGHBOUR', value: 'value-of-the-neighbour', is_secret: true };
    await neighbour.caller.post(`${neighbour.path}/env`, secret);
    await neighbour.deploy();
    const { home, operator } = platform.world.postern;
    const snoop = SNOOP.replaceAll('HOME', home.folder);
    const reach = `const s = require('net').connect('${home.folder}/platform/load-balancer/control.sock');
      s.on('connect', () => console.log('REACHED')).on('error', e => console.log('kept out: ' + e.code)).on('close', () => process.exit())`;
    const service = await platform.service(
      { ...webApp('nosy'), 'reach.cjs': reach },
      {
        build_command: `(${snoop}) 2>&1; node reach.cjs`,
        start_command: `(${snoop}) 2>&1; node reach.cjs; exec node server.js`,
      },
    );
    await service.deploy();
    await service.line(({ message }) => message === 'version nosy listens');

    const log = await logOf(service);
    const { encryptionKey, linkSecret } = home.secrets();
    for (const held of [encryptionKey, linkSecret, operator.password, secret.value, neighbour.id])
      expect(log).not.toContain(held);
    expect(log.match(/^\d+$/gm)).not.toContain('0');
    expect(log.match(/kept out: EACCES/g)).toHaveLength(2);
    expect(log).not.toContain('REACHED');
  }, 60_000);
});

describe('a secret', () => {
  const SECRET = 'p/ss+wörd & "more" =~ 0123';

  it('in the output of a build is masked, plain or encoded, also when it comes in pieces', async () => {
    const service = await platform.service(
      {
        ...webApp('one'),
        'tell.js': `
          const secret = process.env.TOKEN;
          const say = text => console.log(text);
          say('plain ' + secret);
          say('twice ' + secret + secret);
          say('base64 ' + Buffer.from(secret).toString('base64'));
          say('basic ' + Buffer.from('user:' + secret).toString('base64'));
          say('shifted ' + Buffer.from('a' + secret + 'b').toString('base64url'));
          say('url ' + encodeURIComponent(secret));
          say('form ' + new URLSearchParams({ q: secret }));
          say('json ' + JSON.stringify({ secret }));
          process.stderr.write('halves ' + secret.slice(0, 9));
          await new Promise(resolve => setTimeout(resolve, 300));
          process.stderr.write(secret.slice(9) + ' end\\n');
          for (const octet of Buffer.from('octets ' + secret + ' end\\n')) process.stdout.write(Buffer.of(octet));
          process.exitCode = Number(process.env.FAIL ?? 0);`,
      },
      { build_command: 'node tell.js' },
    );
    await service.caller.post(`${service.path}/env`, { key: 'TOKEN', value: SECRET, is_secret: true });
    await service.deploy();
    await service.caller.post(`${service.path}/env`, { key: 'FAIL', value: '3', is_secret: false });
    const error = String(await failureOf(service));

    const told = `${await logOf(service)}\n${error}`;
    for (const word of ['plain', 'base64', 'url', 'json', 'halves', 'octets'])
      expect(told).toMatch(new RegExp(`${word} .*\\*{8}`));
    const parts = [
      SECRET,
      SECRET.slice(0, 9),
      SECRET.slice(-9),
      encodeURIComponent(SECRET),
      Buffer.from(SECRET).toString('base64'),
      // What is left of each encoding without its ends, whatever stands beside it.
      Buffer.from(`user:${SECRET}`).toString('base64').slice(8, -4),
      Buffer.from(`a${SECRET}b`).toString('base64url').slice(4, -4),
      new URLSearchParams({ q: SECRET }).toString().slice(2),
      JSON.stringify(SECRET).slice(1, -1),
    ];
    for (const part of parts) expect(told).not.toContain(part);
  }, 60_000);

  it('is never in the arguments of a process, nor told by the API', async () => {
    const service = await platform.service(webApp('one'), { build_command: "cat /proc/*/cmdline | tr '\\0' '\\n'" });
    await service.caller.post(`${service.path}/env`, { key: 'TOKEN', value: SECRET, is_secret: true });
    await service.deploy();

    expect(await logOf(service)).not.toContain('********');
    expect(
      JSON.stringify([(await service.caller.get(`${service.path}/env`)).body, await service.read()]),
    ).not.toContain('p/ss');
  }, 60_000);
});

describe('a build', () => {
  it('whose repository is gone fails and says so', async () => {
    const service = await platform.service(webApp('one'));
    service.repository.remove();
    expect(await failureOf(service)).toMatch(/not (be )?(found|exist)|no (such )?repository|does not exist/i);
  }, 60_000);

  it('with output without end is told from what is worth keeping, and its end is kept', async () => {
    const service = await platform.service(webApp('one'), {
      build_command: `head -c 60000000 /dev/zero | tr '\\0' 'x'; echo; seq 1 400000; echo the end`,
    });
    await service.deploy();

    const lines = await service.logs('?tail=10000');
    const told = lines.map(({ message }) => message);
    expect(told.join('\n')).toMatch(/log lines were dropped|is not kept/);
    expect(Math.max(...told.map(({ length }) => length))).toBeLessThan(20_000);
    expect(await service.ask()).toBe('200 one');
  }, 60_000);
});
