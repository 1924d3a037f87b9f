import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Exchange, ReleaseContract } from '@postern/compatibility';
import { connectNats, type NatsLink, RequestClient } from '@postern/messaging';
import { startNats, type TestNats } from '@postern/testing';
import type { Operator } from './operator.js';
import { canDeployBeside, listReleases } from './releases.js';

const ANY: Exchange = { request: {}, reply: {}, refusals: {}, deadlineMs: 5_000 };
const release = (service: string, version: string, contract: Partial<ReleaseContract> = {}): ReleaseContract => ({
  ...{ service, version, envelope: {}, publishes: {}, consumes: {}, consumers: {}, answers: {}, asks: {} },
  ...{ http: {}, webhooks: {} },
  ...contract,
});
const needing = release('email-send', '0.3.0', { asks: { 'delivery-tracking.ponder': ANY } });
const handling = release('delivery-tracking', '0.3.0', { answers: { 'delivery-tracking.ponder': ANY } });

describe('The releases of running processes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-released-'));
  let nats: TestNats;
  let operator: Operator;
  let printed: string[] = [];
  const links: NatsLink[] = [];

  const linkOf = async (name: string) => {
    const link = await connectNats({ servers: nats.url, name, inboxPrefix: `_INBOX.${name}` });
    links.push(link);
    return link;
  };

  /** A process that answers as a service does; returns how to end it. */
  const run = async (service: string, version: string, contract: ReleaseContract | null): Promise<() => void> => {
    const link = await linkOf(service);
    const answer = JSON.stringify({ service, version, contract });
    const subscription = link.subscribe(`postern.releases.${service}`, message =>
      link.nc.publish(message.reply ?? '', answer),
    );
    await link.nc.flush();
    return () => subscription.unsubscribe();
  };

  const canDeploy = async (...args: readonly string[]) => {
    printed = [];
    const isAllowed = await canDeployBeside(
      operator,
      args.filter(arg => !arg.startsWith('--')),
      { together: args.includes('--together') },
      folder,
    );
    return { isAllowed, output: printed.join('\n') };
  };

  beforeAll(async () => {
    nats = await startNats();
    const link = await linkOf('operator');
    const print = (line: string) => void printed.push(line);
    operator = { link, requests: new RequestClient(link), environment: {}, print };
    for (const one of [needing, handling])
      writeFileSync(join(folder, `${one.service}@${one.version}.json`), JSON.stringify(one));
  });
  afterAll(async () => {
    operator?.requests.close();
    for (const link of links) await link.close();
    await nats?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('decide which one goes first', async () => {
    const endOld = await run('delivery-tracking', '0.2.0', release('delivery-tracking', '0.2.0'));
    const early = await canDeploy('email-send@0.3.0');
    expect(early.output).toContain(
      'delivery-tracking@0.2.0 runs; delivery-tracking@0.3.0 is the first release with it.',
    );
    expect(early.output).toContain('email-send@0.3.0 cannot be deployed beside what runs: delivery-tracking@0.2.0');
    expect(early.isAllowed).toBe(false);
    expect((await canDeploy('email-send@0.3.0', '--together')).isAllowed).toBe(true);
    expect((await canDeploy('email-send@0.3.0', 'delivery-tracking@0.3.0')).output).toContain(
      'Deploy in this order: delivery-tracking@0.3.0, email-send@0.3.0',
    );

    const endNew = await run('delivery-tracking', '0.3.0', handling);
    expect((await canDeploy('email-send@0.3.0')).isAllowed).toBe(false);
    endOld();
    expect((await canDeploy('email-send@0.3.0')).isAllowed).toBe(true);
    endNew();
  });

  it('that are builds of a checkout are named and not compared', async () => {
    const end = await run('delivery-tracking', '0.1.0', null);
    const { isAllowed, output } = await canDeploy('email-send@0.3.0');
    expect(output).toContain('delivery-tracking@0.1.0 runs as a build of a checkout, and is not compared.');
    expect(isAllowed).toBe(true);
    end();
  });

  it('are listed, as a table and as the file of an environment', async () => {
    const ends = [await run('email-send', '0.2.0', needing), await run('email-send', '0.3.0', needing)];
    printed = [];
    await listReleases(operator, { json: true });
    expect(JSON.parse(printed.join('\n'))).toEqual({ 'email-send': ['0.2.0', '0.3.0'] });
    printed = [];
    await listReleases(operator, {});
    expect(printed.join('\n')).toMatch(/SERVICE\s+VERSION\s+PROCESSES\s+KIND/);
    for (const end of ends) end();
  });

  it.each([
    [['email-send'], 'email-send is not <service>@<version>, such as email-send@0.3.0'],
    [['email-send@9.9.9'], 'There is no contract of email-send@9.9.9 here'],
    [[], 'name the releases: postern can-deploy email-send@0.3.0'],
  ])('a wrong name is refused with the way out: %j', async (names, message) =>
    expect(canDeploy(...names)).rejects.toThrow(message),
  );

  it('are asked, and not read from a file of an environment', async () =>
    expect(canDeployBeside(operator, ['email-send@0.3.0'], { to: 'production' }, folder)).rejects.toThrow(
      '--to production is an option of `node tools/releases/contracts.mjs can-deploy`',
    ));

  it('of an image without a contract, a build of a checkout, are not compared', async () => {
    printed = [];
    expect(await canDeployBeside(operator, [], {}, join(folder, 'none'))).toBe(true);
    expect(printed).toEqual(['This image is no release: it has no contract to compare.']);
  });
});
