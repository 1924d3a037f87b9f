import { join } from 'node:path';
import { findingsOf } from './check.js';
import { contractOfCheckout, RELEASED, record, releasedContracts } from './checkout.js';
import { nameOf } from './release-contract.js';

const USAGE = `contracts: what releases promise each other

  contracts check [service…]    the checkout against every released version of the others
  contracts release <service>   as above, and keeps what the checkout's version promises, as part of its release;
                                what the newest released others do not understand yet fails as well
  contracts record <service…>   keeps what the checkout's version promises, unchecked
  contracts show <service>      what the checkout's version publishes, consumes, answers and asks`;

const ROOT = join(import.meta.dirname, '../../..');
const COMMANDS = ['check', 'release', 'record', 'show'];

/** The newest release of each service, by its version. */
const newest = (names: readonly string[]): ReadonlySet<string> => {
  const byVersion = [...names].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return new Set(new Map(byVersion.map(name => [name.split('@')[0], name])).values());
};

const check = (services: readonly string[], { releasing }: { readonly releasing: boolean }): number => {
  const released = releasedContracts(ROOT);
  const last = newest(released.map(nameOf));
  const findings = services.flatMap(service => findingsOf(contractOfCheckout(ROOT, service), released));
  const fails = ({ verdict, with: other }: (typeof findings)[number]) =>
    verdict === 'breaks' || (releasing && last.has(nameOf(other)));
  const failing = findings.filter(fails);
  for (const finding of findings) console.log(`${fails(finding) ? '✗' : '·'} ${finding.verdict}: ${finding.text}`);
  console.log(`${services.length} services against ${released.length} releases: ${failing.length} findings to mend`);
  return failing.length > 0 ? 1 : 0;
};

const show = (service: string): void => {
  const contract = contractOfCheckout(ROOT, service);
  for (const part of ['publishes', 'consumes', 'answers', 'asks'] as const)
    for (const name of Object.keys(contract[part])) console.log(`${service} ${part} ${name}`);
};

/**
 * Runs the command with its arguments; `sourcesDigest` tells the sources that a service is made from.
 * @returns its exit code.
 */
export const contracts = (args: readonly string[], sourcesDigest: (service: string) => string): number => {
  const [command = '', ...named] = args;
  const services = named.length > 0 ? named : Object.keys(RELEASED);
  const unknown = services.filter(service => !(service in RELEASED));
  if (unknown.length > 0 || !COMMANDS.includes(command) || (command === 'release' && named.length !== 1)) {
    console.error(
      unknown.length > 0 ? `there is no ${unknown.join(', ')}; known are ${Object.keys(RELEASED).join(', ')}` : USAGE,
    );
    return 2;
  }
  if (command === 'check') return check(services, { releasing: false });
  if (command === 'release' && check(services, { releasing: true }) > 0) return 1;
  for (const service of services)
    if (command === 'show') show(service);
    else console.log(record(ROOT, { ...contractOfCheckout(ROOT, service), sources: sourcesDigest(service) }));
  return 0;
};
