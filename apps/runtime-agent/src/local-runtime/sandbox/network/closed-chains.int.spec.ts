import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closedChains } from './closed-chains.js';
import { runProgram } from './run-program.js';
import { canCreateNetworks, programs } from './testing/network-fixture.js';

const run = promisify(execFile);
/** Its rules concern nobody else on this machine. */
const namespace = `closed-chains-${process.pid}`;

(canCreateNetworks ? describe : describe.skip)('another firewall of the machine', () => {
  const { ip, nft, nsenter } = programs as Exclude<typeof programs, { missing: unknown }>;
  const inside = (args: readonly string[], input = '') =>
    runProgram(nsenter, [`--net=/run/netns/${namespace}`, '--', nft, ...args], input);
  const rules = (text: string) => inside(['-f', '-'], `flush ruleset\n${text}`);
  beforeAll(() => run(ip, ['netns', 'add', namespace]));
  afterAll(() => run(ip, ['netns', 'delete', namespace]));

  const FILTER =
    'add table ip filter\nadd chain ip filter FORWARD { type filter hook forward priority 0; policy drop; }\n';

  it('is named if it drops forwarded packets, until it accepts those of sandboxes', async () => {
    await rules(FILTER);
    expect(await closedChains(inside)).toEqual(['FORWARD of ip filter']);
    await inside(['insert', 'rule', 'ip', 'filter', 'FORWARD', 'iifname', 'pst*', 'accept']);
    expect(await closedChains(inside)).toEqual([]);
  });

  it('is named if it drops what is sent to the machine, as ufw does', async () => {
    await rules('add table inet a\nadd chain inet a in { type filter hook input priority 0; policy drop; }\n');
    expect(await closedChains(inside)).toEqual(['in of inet a']);
  });

  it('is named if it is firewalld, which refuses by its last rule', async () => {
    await rules(
      'add table inet firewalld\nadd chain inet firewalld filter_FORWARD { type filter hook forward priority 10; policy accept; }\n',
    );
    expect(await closedChains(inside)).toEqual(['filter_FORWARD of inet firewalld']);
  });

  it('is not named if it accepts, or is that of an installation of Postern', async () => {
    await rules(
      'add table inet open\nadd chain inet open f { type filter hook forward priority 0; policy accept; }\n' +
        'add table inet pst0ad00000\nadd chain inet pst0ad00000 f { type filter hook forward priority 0; policy drop; }\n',
    );
    expect(await closedChains(inside)).toEqual([]);
  });
});
