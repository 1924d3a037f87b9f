import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectNats, type NatsLink } from '@postern/messaging';
import { startNats, type TestNats } from '@postern/testing';
import { answerReleaseQueries, releaseOf } from './release.js';
import { runningReleases } from './running-releases.js';

describe('Running processes', () => {
  let nats: TestNats;
  const links: NatsLink[] = [];
  const linkOf = async (name: string) => {
    const link = await connectNats({ servers: nats.url, name, inboxPrefix: `_INBOX.${name}` });
    links.push(link);
    return link;
  };
  let caller: NatsLink;

  beforeAll(async () => {
    nats = await startNats();
    caller = await linkOf('operator');
  });
  afterAll(async () => {
    for (const link of links) await link.close();
    await nats?.stop();
  });

  it('that do not exist name no release, and are not waited for', async () => {
    expect(await runningReleases(caller, 3_600_000)).toEqual([]);
  });

  it('name their releases, several during a rollout', async () => {
    const start = async (version: string) => {
      const link = await linkOf('email-send');
      answerReleaseQueries(link, 'email-send', { version, contract: { version } });
      await link.nc.flush();
    };
    await start('0.2.0');
    await start('0.2.0');
    await start('0.3.0');
    const found = await runningReleases(caller, 500);
    expect([...found].sort((a, b) => a.version.localeCompare(b.version))).toEqual([
      { service: 'email-send', version: '0.2.0', contract: { version: '0.2.0' }, processes: 2 },
      { service: 'email-send', version: '0.3.0', contract: { version: '0.3.0' }, processes: 1 },
    ]);
  });

  it('answer only below the inbox for this purpose', async () => {
    const received: string[] = [];
    caller.subscribe('_INBOX.victim.email-send.>', message => void received.push(message.subject));
    caller.nc.publish('postern.releases.email-send', '', { reply: '_INBOX.victim.email-send.1.r' });
    await runningReleases(caller, 300);
    expect(received).toEqual([]);
  });

  it('that answer for another service or with something else are left out', async () => {
    const link = await linkOf('webhook-dispatch');
    link.subscribe('postern.releases.webhook-dispatch', message => {
      for (const answer of ['no JSON', '{}', '{"service":"email-send","version":"6.6.6"}'])
        link.nc.publish(message.reply ?? '', answer);
    });
    await link.nc.flush();
    const versions = (await runningReleases(caller, 500)).map(({ version }) => version);
    expect(versions).not.toContain('6.6.6');
    expect(versions).toHaveLength(2);
  });
});

describe('The release of a program', () => {
  const root = mkdtempSync(join(tmpdir(), 'postern-release-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, content: object) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), JSON.stringify(content));
  };
  const program = join(root, 'apps/email-send/dist/main.js');

  beforeAll(() => {
    write('package.json', { name: 'postern' });
    write('apps/email-send/package.json', { name: '@postern/email-send', version: '0.3.0' });
    write('apps/email-send/dist/main.js', {});
  });

  it('is a build of a checkout without a stored contract', () =>
    expect(releaseOf('email-send', program)).toEqual({ version: '0.3.0', contract: null }));

  it('has the contract that its version stored', () => {
    write('libs/contracts/released/email-send@0.2.0.json', { version: '0.2.0' });
    write('libs/contracts/released/email-send@0.3.0.json', { version: '0.3.0' });
    expect(releaseOf('email-send', program)).toEqual({ version: '0.3.0', contract: { version: '0.3.0' } });
  });

  it('is unknown for a program that is not part of the service', () => {
    expect(releaseOf('webhook-dispatch', program)).toBeUndefined();
    expect(releaseOf('email-send', undefined)).toBeUndefined();
  });
});
