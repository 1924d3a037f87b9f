import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findingsOf } from './check.js';
import { contractOfCheckout, RELEASED, record, releasedContracts } from './checkout.js';
import { nameOf } from './release-contract.js';

const USAGE = `contracts: what releases promise each other

  contracts check [service…]             the checkout against every released version of the others
  contracts check --releasing <service>  as above; what the newest released others do not understand yet fails as well
  contracts record <service…>            keeps what the checkout's version promises, as part of its release
  contracts show <service>               what the checkout's version publishes, consumes, answers and asks`;

const ROOT = join(import.meta.dirname, '../../..');

const { values, positionals } = parseArgs({ allowPositionals: true, options: { releasing: { type: 'boolean' } } });
const [command, ...named] = positionals;
const services = named.length > 0 ? named : Object.keys(RELEASED);
const unknown = services.filter(service => !(service in RELEASED));

/** The newest release of each service, by its version. */
const newest = (names: readonly string[]): ReadonlySet<string> => {
  const byVersion = [...names].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return new Set(new Map(byVersion.map(name => [name.split('@')[0], name])).values());
};

const check = (): number => {
  const released = releasedContracts(ROOT);
  const last = newest(released.map(nameOf));
  const findings = services.flatMap(service => findingsOf(contractOfCheckout(ROOT, service), released));
  const fails = ({ verdict, with: other }: (typeof findings)[number]) =>
    verdict === 'breaks' || (values.releasing === true && last.has(nameOf(other)));
  const failing = findings.filter(fails);
  for (const finding of findings) console.log(`${fails(finding) ? '✗' : '·'} ${finding.verdict}: ${finding.text}`);
  console.log(`${services.length} services against ${released.length} releases: ${failing.length} findings to mend`);
  return failing.length > 0 ? 1 : 0;
};

const run = (): number => {
  if (unknown.length > 0 || !command || !['check', 'record', 'show'].includes(command)) {
    console.error(
      unknown.length > 0 ? `there is no ${unknown.join(', ')}; known are ${Object.keys(RELEASED).join(', ')}` : USAGE,
    );
    return 2;
  }
  if (command === 'check') return check();
  for (const service of services) {
    const contract = contractOfCheckout(ROOT, service);
    if (command === 'record') console.log(record(ROOT, contract));
    else
      for (const part of ['publishes', 'consumes', 'answers', 'asks'] as const)
        for (const name of Object.keys(contract[part])) console.log(`${service} ${part} ${name}`);
  }
  return 0;
};

process.exitCode = run();
