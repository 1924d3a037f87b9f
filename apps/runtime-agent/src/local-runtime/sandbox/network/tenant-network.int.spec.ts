import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@postern/testing';
import { blockText, namePrefix } from './address-block.js';
import { claims } from './block-claim.js';
import { NetworkGuard } from './network-guard.js';
import { type SandboxNetwork, TenantNetworks } from './tenant-network.js';
import { MAKERS, NetworkFixture } from './testing/network-fixture.js';

const PORT = 10_000;

describe.each(MAKERS)('the networks of sandboxes, made by %s,', maker => {
  const ofRoot = maker === 'root' ? it : it.skip;
  /** The address of a sandbox as servers of the machine see it. */
  const seen = ({ address }: SandboxNetwork): string => (maker === 'root' ? address : address.replace(/^\d+/, '127'));
  let fixture: NetworkFixture;
  let one: SandboxNetwork;
  let other: SandboxNetwork;
  let database: SandboxNetwork;
  let gateway: number;
  let closed: number;

  beforeAll(async () => {
    [gateway, closed] = [await freePort(), await freePort()];
    fixture = await NetworkFixture.start(maker, { entryPoints: [{ host: '127.0.0.1', port: gateway }] });
    const { networks } = fixture;
    one = await networks.create('one', { reach: 'internet', inwardPort: PORT });
    other = await networks.create('other', { reach: 'internet', inwardPort: PORT });
    database = await networks.create('database', { reach: 'nothing' });
    await fixture.serve(undefined, `127.0.0.1:${gateway}`, `0.0.0.0:${closed}`);
    await fixture.serve(one, `127.0.0.1:${PORT}`);
    await fixture.serve(other, `0.0.0.0:${PORT}`, '0.0.0.0:10001');
    await fixture.serve(database, '0.0.0.0:5432');
  });
  afterAll(() => fixture?.stop());

  it('are reached from the machine at their own addresses, also by programs that listen on 127.0.0.1 only', async () => {
    expect(await fixture.connect(undefined, one.address, PORT)).toBe(`127.0.0.1:${PORT} to 127.0.0.1`);
    expect(await fixture.connect(undefined, other.address, PORT)).toBe(`0.0.0.0:${PORT} to 127.0.0.1`);
  });

  it('reach nothing of the machine except the ports that are served to them', async () => {
    const { platformAddress } = fixture.networks;
    expect(await fixture.connect(one, platformAddress, gateway)).toBe(`127.0.0.1:${gateway} to ${seen(one)}`);
    const ownEnd = one.address.replace(/\d+$/, last => String(Number(last) - 1));
    for (const host of [platformAddress, ownEnd, '127.0.0.1'])
      expect(await fixture.connect(one, host, closed)).toMatch(/^(ECONNREFUSED|EHOSTUNREACH)$/);
  });

  it('do not reach each other, private networks and the metadata address of a cloud', async () => {
    for (const host of [other.address, '10.9.9.9', '169.254.169.254', '100.100.100.200', '224.0.0.1'])
      expect(await fixture.connect(one, host, PORT)).toMatch(/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/);
    expect(await fixture.connect(one, '2606:2800:21f::1', 80)).toBe('ENETUNREACH');
  });

  it('reach another one exactly as long as a permission exists, which survives new rules', async () => {
    const permission = { source: one.address, destination: database.address, port: 5432 };
    expect(await fixture.connect(one, database.address, 5432)).toBe('ECONNREFUSED');
    await fixture.networks.allow(permission);
    await fixture.apply({ entryPoints: [{ host: '127.0.0.1', port: gateway }] });
    expect(await fixture.networks.allowed()).toEqual([permission]);
    expect(await fixture.connect(one, database.address, 5432)).toBe(`0.0.0.0:5432 to ${one.address}`);
    expect(await fixture.connect(other, database.address, 5432)).toBe('ECONNREFUSED');
    await fixture.networks.deny(permission);
    expect(await fixture.connect(one, database.address, 5432)).toBe('ECONNREFUSED');
  });

  it('end open connections when their permission is revoked', async () => {
    const permission = { source: one.address, destination: database.address, port: 5432 };
    await fixture.networks.allow(permission);
    const script = `
      const socket = require('node:net').connect(5432, '${database.address}');
      socket.on('data', () => { console.log('connected'); setInterval(() => socket.write('x'), 50); });
      socket.on('error', error => { console.log(error.code); process.exit(); });
      setTimeout(() => { console.log('still open'); process.exit(); }, 10_000);`;
    const held = fixture.run(one, [process.execPath, '-e', script]);
    await new Promise(resolve => setTimeout(resolve, 1_500));
    await fixture.networks.deny(permission);
    expect(await held).toMatch(/^connected\n(ECONNRESET|EPIPE)$/);
  });

  it('reach nothing at all if they only have to answer', async () => {
    const { platformAddress } = fixture.networks;
    expect(await fixture.connect(database, other.address, 10_001)).toBe('ECONNREFUSED');
    expect(await fixture.connect(database, platformAddress, gateway)).toBe('ECONNREFUSED');
    expect(await fixture.connect(database, '93.184.215.14', 80)).toBe('ENETUNREACH');
  });

  it('have ports and abstract socket names of their own, which no other sandbox can take', async () => {
    const bind = (at: string) =>
      `const s = require('node:net').createServer().listen(${at}, () => { console.log('bound'); setTimeout(() => process.exit(), 3000); }); s.on('error', e => { console.log(e.code); process.exit(); })`;
    for (const at of [`${closed}, '0.0.0.0'`, "{ path: '\\0postern-name' }"]) {
      const both = [one, other].map(network => fixture.run(network, [process.execPath, '-e', bind(at)]));
      expect(await Promise.all(both)).toEqual(['bound', 'bound']);
    }
  });

  it('let processes without capabilities change no address, route or rule, and take no address of another', async () => {
    const ids = maker === 'root' ? [] : ['unshare', '--user', '--map-user=21077', '--map-group=21077', '--'];
    const user = maker === 'root' ? ['--reuid=21077', '--regid=21077', '--clear-groups'] : [];
    const tenant = [...ids, 'setpriv', ...user, '--no-new-privs', '--inh-caps=-all', '--'];
    const { ip, nft } = fixture.host.programs;
    for (const command of [
      [ip, 'route', 'add', '10.9.0.0/16', 'dev', 'eth0'],
      [ip, 'address', 'add', `${other.address}/32`, 'dev', 'eth0'],
      [nft, 'add', 'table', 'inet', 'of_a_tenant'],
    ])
      expect(await fixture.run(one, [...tenant, ...command])).toMatch(/not permitted/);
    const bind = `require('node:net').createServer().on('error', e => console.log(e.code)).listen(5432, '${database.address}')`;
    expect(await fixture.run(one, [...tenant, process.execPath, '-e', bind])).toBe('EADDRNOTAVAIL');
    expect(await fixture.connect(one, '93.184.215.14', 25)).toBe('ECONNREFUSED');
  });

  it('get their rules and permissions back when a program of the machine has deleted them', async () => {
    const { networks } = fixture;
    const permission = { source: one.address, destination: database.address, port: 5432 };
    await networks.allow(permission);
    const apply = () => fixture.apply({ entryPoints: [{ host: '127.0.0.1', port: gateway }] });
    const guard = new NetworkGuard(networks, async () => ({ version: '1', apply }), '1');
    await guard.check();
    await fixture.host.run(fixture.host.programs.nft, ['delete', 'table', 'inet', namePrefix(networks.block)]);
    expect(await networks.rules.state()).toBeUndefined();
    await guard.check();
    expect(await networks.allowed()).toEqual([permission]);
    expect(await fixture.connect(one, database.address, 5432)).toBe(`0.0.0.0:5432 to ${one.address}`);
    expect(await fixture.connect(database, networks.platformAddress, gateway)).toBe('ECONNREFUSED');
    expect(await fixture.connect(one, other.address, PORT)).toBe('ECONNREFUSED');
    await networks.deny(permission);
  });

  it('do not get their rules back after the installation has removed them', async () => {
    const removed = await NetworkFixture.start(maker);
    const guard = new NetworkGuard(removed.networks, async () => undefined, '1');
    await removed.networks.dismantle();
    await guard.check();
    expect(await removed.networks.rules.state()).toBeUndefined();
    await removed.stop();
  });

  it('are found by a process that starts later, and are gone after their release', async () => {
    const again = await fixture.reopen();
    expect(await again.find('other')).toMatchObject({ address: other.address });
    const brief = await again.create('brief', { reach: 'nothing' });
    await again.allow({ source: one.address, destination: brief.address, port: 1 });
    await again.release('brief');
    expect(await again.find('brief')).toBeUndefined();
    expect(await again.allowed()).toEqual([]);
    expect(await fixture.connect(undefined, brief.address, 1)).toBe('EHOSTUNREACH');
  });

  ofRoot('of another installation are separate, and are removed once its home is deleted', async () => {
    const neighbour = await NetworkFixture.start(maker);
    const { block } = neighbour.networks;
    const inside = await neighbour.networks.create('one', { reach: 'internet' });
    await neighbour.serve(inside, `0.0.0.0:${PORT}`);
    expect(block).not.toEqual(fixture.networks.block);
    expect(await fixture.connect(one, inside.address, PORT)).toBe('ECONNREFUSED');
    await rm(neighbour.home, { recursive: true });
    await fixture.reopen();
    expect((await claims()).map(claim => claim.home)).not.toContain(neighbour.home);
    expect(await neighbour.networks.ids()).toEqual([]);
    expect(await fixture.networks.find('one')).toMatchObject({ address: one.address });
    await neighbour.stop();
  });

  it('move to another pool when the setting changes, and leave nothing in the former one', async () => {
    const moved = await NetworkFixture.start(maker);
    const { block } = moved.networks;
    await moved.networks.create('one', { reach: 'internet' });
    const elsewhere = await moved.reopen('10.224.0.0/16');
    expect(blockText(elsewhere.block)).toMatch(/^10\.224\./);
    expect(await elsewhere.ids()).toEqual([]);
    expect(await TenantNetworks.of(block, moved.host).ids()).toEqual([]);
    expect((await claims(moved.host.claims)).filter(({ home }) => home === moved.home)).toHaveLength(1);
    await elsewhere.dismantle();
    await moved.stop();
  });

  it('have a limit of connections, and another one is not affected', async () => {
    const script = `
      const { connect } = require('node:net');
      let refused = 0;
      for (let i = 0; i < 1_100; i += 1) connect(${gateway}, '${fixture.networks.platformAddress}')
        .on('error', () => { refused += 1; });
      setTimeout(() => { console.log(1_100 - refused + ' ' + refused); process.exit(); }, 6_000);`;
    const flood = fixture.run(one, [process.execPath, '-e', script]);
    await new Promise(resolve => setTimeout(resolve, 4_000));
    const { platformAddress } = fixture.networks;
    expect(await fixture.connect(other, platformAddress, gateway)).toBe(`127.0.0.1:${gateway} to ${seen(other)}`);
    const [open = 0, refused = 0] = (await flood).split(' ').map(Number);
    expect(open).toBeLessThanOrEqual(maker === 'root' ? 1_000 : 50);
    expect(open).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(90);
  });
});
