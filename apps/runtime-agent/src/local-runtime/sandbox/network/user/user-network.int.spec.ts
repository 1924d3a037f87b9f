import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isRunning, recordedUserNetwork, type UserNetwork, userNetworkOf } from '@postern/load-balancer-client';
import { freePort } from '@postern/testing';
import { ownAddresses } from '../host-network.js';
import { MAKERS, NetworkFixture } from '../testing/network-fixture.js';

const PORT = 10_000;
const canMake = MAKERS.includes('an ordinary user');

const until = async (is: () => boolean): Promise<void> => {
  const deadline = performance.now() + 20_000;
  while (!is()) {
    if (performance.now() > deadline) throw new Error('it has not happened');
    await delay(50);
  }
};

(canMake ? describe : describe.skip)('the network of an ordinary user', () => {
  let fixture: NetworkFixture;
  let network: UserNetwork;

  beforeEach(async () => {
    fixture = await NetworkFixture.start('an ordinary user');
    network = recordedUserNetwork(fixture.home)!;
  });
  afterEach(() => fixture?.stop());

  const remake = async () => {
    fixture.endProcesses();
    fixture = await NetworkFixture.start('an ordinary user', {}, fixture.home);
  };
  const processes = () => [network.inside, network.outside, network.uplink];

  it('gives no capability over the network of the machine, and leads nowhere on its loopback interface', async () => {
    const port = await freePort();
    await fixture.serve(undefined, `127.0.0.1:${port}`);
    const one = await fixture.networks.create('one', { reach: 'internet' });
    expect(readFileSync(`/proc/${network.inside.pid}/uid_map`, 'utf8')).toMatch(/^\s*0\s+[1-9]\d*\s+1\n$/);
    for (const host of ['127.0.0.1', '192.0.0.1', '192.0.0.2', fixture.networks.platformAddress])
      expect(await fixture.connect(one, host, port)).toMatch(/^(ECONNREFUSED|EHOSTUNREACH)$/);
    // Its own processes do not reach the loopback interface of the machine either.
    const script = `require('node:net').connect(${port}, '127.0.0.1').on('error', error => console.log(error.code))`;
    expect(await fixture.host.run(process.execPath, ['-e', script])).toBe('ECONNREFUSED\n');
  });

  it('leads to no address of the machine, except to web ports of public ones', async () => {
    const port = await freePort();
    const own = await ownAddresses(fixture.host.programs.ip);
    const outside = own.filter(address => !address.startsWith('127.'));
    expect(outside.length).toBeGreaterThan(0);
    await fixture.serve(undefined, `0.0.0.0:${port}`);
    const one = await fixture.networks.create('one', { reach: 'internet' });
    // Without the rule, they are as near as the internet.
    await fixture.apply({ refusedNetworks: ['127.0.0.0/8'] });
    expect(await fixture.connect(one, outside[0]!, port)).toContain(`0.0.0.0:${port}`);
    await fixture.apply({ ownAddresses: own, ownPublicAddresses: own });
    for (const host of outside) expect(await fixture.connect(one, host, port)).toBe('ECONNREFUSED');
  });

  it('lets a client that has sent everything receive the rest', async () => {
    const server = createServer({ allowHalfOpen: true }, async socket => {
      const received = await text(socket);
      socket.end(`received ${received}`);
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await fixture.apply({ entryPoints: [{ host: '127.0.0.1', port }] });
    const one = await fixture.networks.create('one', { reach: 'internet' });
    const script = `
      const socket = require('node:net').connect(${port}, '${fixture.networks.platformAddress}');
      socket.end('all of it');
      socket.pipe(process.stdout);`;
    expect(await fixture.run(one, [process.execPath, '-e', script])).toBe('received all of it');
    server.close();
  });

  it.each(['inside', 'outside'] as const)(
    'ends completely when its process %s is killed, and can be made again',
    async part => {
      const one = await fixture.networks.create('one', { reach: 'internet', inwardPort: PORT });
      await fixture.serve(one, `0.0.0.0:${PORT}`);
      expect(await fixture.connect(undefined, one.address, PORT)).toContain(`0.0.0.0:${PORT}`);
      process.kill(network[part].pid, 'SIGKILL');
      await until(() => !processes().some(isRunning));
      expect(userNetworkOf(fixture.home)).toBeUndefined();
      expect(fixture.host.hasEnded()).toBe(true);
      await remake();
      const again = await fixture.networks.create('one', { reach: 'internet', inwardPort: PORT });
      await fixture.serve(again, `0.0.0.0:${PORT}`);
      expect(await fixture.connect(undefined, again.address, PORT)).toContain(`0.0.0.0:${PORT}`);
    },
  );

  it('is replaced completely if all of its processes but the uplink were killed at once', async () => {
    process.kill(network.outside.pid, 'SIGSTOP');
    process.kill(network.inside.pid, 'SIGKILL');
    process.kill(network.outside.pid, 'SIGKILL');
    await until(() => ![network.inside, network.outside].some(isRunning));
    expect(isRunning(network.uplink)).toBe(true);
    await remake();
    expect(isRunning(network.uplink)).toBe(false);
    expect(processes().some(isRunning)).toBe(false);
  });

  it('gets another uplink if it has lost it, and keeps its sandboxes', async () => {
    const one = await fixture.networks.create('one', { reach: 'internet', inwardPort: PORT });
    await fixture.serve(one, `0.0.0.0:${PORT}`);
    process.kill(network.uplink.pid, 'SIGKILL');
    await until(() => recordedUserNetwork(fixture.home)!.uplink.pid !== network.uplink.pid);
    expect(await fixture.connect(undefined, one.address, PORT)).toContain(`0.0.0.0:${PORT}`);
    network = recordedUserNetwork(fixture.home)!;
    expect(processes().every(isRunning)).toBe(true);
  });
});
