import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sharedPlatform } from '../stories.js';
import { webApp } from './repository.js';

const isRoot = process.getuid?.() === 0;
const platform = await sharedPlatform();

describe('what a build and a service can read on the host', () => {
  const SNOOP = `
    cat HOME/secrets.json HOME/ready.json HOME/nats.conf;
    ls -R HOME HOME/platform HOME/platform/* HOME/postgres;
    cat /proc/[0-9]*/environ | tr '\\0' '\\n';
    id -u`;

  it('contains no secret of the platform or of other services', async () => {
    if (!isRoot) {
      console.warn('not tested: without root, services run as the user of the platform, and may read what it may');
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

    const log = await service.wholeLog();
    const { encryptionKey, linkSecret } = JSON.parse(readFileSync(join(home.folder, 'secrets.json'), 'utf8'));
    for (const held of [encryptionKey, linkSecret, operator.password, secret.value, neighbour.id])
      expect(log).not.toContain(held);
    expect(log.match(/^\d+$/gm)).not.toContain('0');
    expect(log.match(/kept out: (EACCES|ENOENT)/g)).toHaveLength(2);
    expect(log).not.toContain('REACHED');
  }, 60_000);
});

describe('a secret', () => {
  const SECRET = 'p/ss+wörd & "more" =~ 0123';

  it('in the output of a build is masked, plain or encoded, even if it is written in pieces', async () => {
    const service = await platform.service(
      {
        ...webApp('one'),
        'print.js': `
          const secret = process.env.TOKEN;
          const print = text => console.log(text);
          print('plain ' + secret);
          print('twice ' + secret + secret);
          print('base64 ' + Buffer.from(secret).toString('base64'));
          print('basic ' + Buffer.from('user:' + secret).toString('base64'));
          print('shifted ' + Buffer.from('a' + secret + 'b').toString('base64url'));
          print('url ' + encodeURIComponent(secret));
          print('form ' + new URLSearchParams({ q: secret }));
          print('json ' + JSON.stringify({ secret }));
          process.stderr.write('halves ' + secret.slice(0, 9));
          await new Promise(resolve => setTimeout(resolve, 300));
          process.stderr.write(secret.slice(9) + ' end\\n');
          for (const octet of Buffer.from('octets ' + secret + ' end\\n')) process.stdout.write(Buffer.of(octet));
          process.exitCode = Number(process.env.FAIL ?? 0);`,
      },
      { build_command: 'node print.js' },
    );
    await service.caller.post(`${service.path}/env`, { key: 'TOKEN', value: SECRET, is_secret: true });
    await service.deploy();
    await service.caller.post(`${service.path}/env`, { key: 'FAIL', value: '3', is_secret: false });
    const error = String(await service.failure());

    const output = `${await service.wholeLog()}\n${error}`;
    for (const word of ['plain', 'base64', 'url', 'json', 'halves', 'octets'])
      expect(output).toMatch(new RegExp(`${word} .*\\*{8}`));
    const parts = [
      SECRET,
      SECRET.slice(0, 9),
      SECRET.slice(-9),
      encodeURIComponent(SECRET),
      Buffer.from(SECRET).toString('base64'),
      // The inner part of each encoding, independent of the adjacent bytes.
      Buffer.from(`user:${SECRET}`).toString('base64').slice(8, -4),
      Buffer.from(`a${SECRET}b`).toString('base64url').slice(4, -4),
      new URLSearchParams({ q: SECRET }).toString().slice(2),
      JSON.stringify(SECRET).slice(1, -1),
    ];
    for (const part of parts) expect(output).not.toContain(part);
  }, 60_000);

  it('is never in the arguments of a process, nor returned by the API', async () => {
    const service = await platform.service(webApp('one'), { build_command: "cat /proc/*/cmdline | tr '\\0' '\\n'" });
    await service.caller.post(`${service.path}/env`, { key: 'TOKEN', value: SECRET, is_secret: true });
    await service.deploy();

    expect(await service.wholeLog()).not.toContain('********');
    expect(
      JSON.stringify([(await service.caller.get(`${service.path}/env`)).body, await service.read()]),
    ).not.toContain('p/ss');
  }, 60_000);
});
