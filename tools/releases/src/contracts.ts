import { join } from 'node:path';
import { findingsOf } from './check.js';
import { contractOfCheckout, RELEASED, record, releasedContracts } from './checkout.js';
import { nameOf } from './release-contract.js';

const USAGE = `contracts: check the compatibility of releases

  contracts check [service…]    compare the checkout with every released version
  contracts release <service>   check, then store the contract of the checkout as part of its release;
                                pending findings of the newest releases fail as well
  contracts record <service…>   store the contract of the checkout without a check
  contracts show <service>      list the events and requests of the checkout`;

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
  console.log(`${services.length} services against ${released.length} releases: ${failing.length} findings to fix`);
  return failing.length > 0 ? 1 : 0;
};

const show = (service: string): void => {
  const contract = contractOfCheckout(ROOT, service);
  for (const part of ['publishes', 'consumes', 'answers', 'asks'] as const)
    for (const name of Object.keys(contract[part])) console.log(`${service} ${part} ${name}`);
};

/** Runs the command. `sourcesDigest` computes the digest of the sources of a service. @returns the exit code. */
export const contracts = (args: readonly string[], sourcesDigest: (service: string) => string): number => {
  const [command = '', ...named] = args;
  const services = named.length > 0 ? named : Object.keys(RELEASED);
  const unknown = services.filter(service => !(service in RELEASED));
  if (unknown.length > 0 || !COMMANDS.includes(command) || (command === 'release' && named.length !== 1)) {
    console.error(
      unknown.length > 0
        ? `unknown service: ${unknown.join(', ')}. The services are ${Object.keys(RELEASED).join(', ')}`
        : USAGE,
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
