import { join } from 'node:path';
import { type Finding, findingsOf, groupedTexts, newestOf, type ReleaseContract } from '@postern/compatibility';
import { contractOfCheckout, contractsOfCheckout, RELEASED, record, releasedContracts } from './checkout.js';
import { canDeployCommand, DEPLOYMENTS, recordDeployment } from './deployments.js';
import { migrationDigests, migrationFindings, migrationsOf } from './migrations.js';
import { addPlans, changedFiles, type MissingPlan, missingPlans } from './plans.js';

const USAGE = `contracts: check the compatibility of releases

  contracts check [service…]       compare the checkout with every released version
  contracts release <service>      check, then store the contract of the checkout as part of its release, with what it
                                   needs from newer releases of others
  contracts record <service…>      store the contract of the checkout without a check
  contracts show <service>         list the events and requests of the checkout
  contracts plans [--add "<message>"]
                                   find changed services and packages without a version plan, libraries included; with a
                                   message, add a plan for a fix of each
  contracts can-deploy <service>@<version>… --to <environment>
                                   compare releases with those that run in an environment
  contracts deployed <service>@<version>… --to <environment>
                                   record that they run there

An environment is the name of a file in ${DEPLOYMENTS}, or the path of a JSON file: {"email-send": ["0.2.0"], …}.
\`postern releases --json\` prints this file for a running installation.`;

const ROOT = join(import.meta.dirname, '../../..');
const ADD = 'Add them: node tools/releases/contracts.mjs plans --add "<message for administrators>"';
const COMMANDS = ['check', 'release', 'record', 'show'];

const ofVerdict = (findings: readonly Finding[], verdict: Finding['verdict']): readonly string[] =>
  groupedTexts(findings.filter(finding => finding.verdict === verdict));

/** What a release needs from releases of other services that are newer than their newest one. */
export const conditionsOf = (contract: ReleaseContract, released: readonly ReleaseContract[]): readonly string[] =>
  ofVerdict(findingsOf(contract, newestOf(released)), 'condition');

/** What fails if a release runs beside earlier ones. Only this blocks a release. */
export const breaksOf = (contract: ReleaseContract, released: readonly ReleaseContract[]): readonly string[] =>
  ofVerdict(findingsOf(contract, released), 'breaks');

const check = (contracts: readonly ReleaseContract[]): number => {
  const released = releasedContracts(ROOT);
  const breaks = contracts.flatMap(contract => [
    ...breaksOf(contract, released),
    ...migrationFindings(contract.service, migrationsOf(ROOT, contract.service), released),
  ]);
  for (const text of contracts.flatMap(contract => conditionsOf(contract, released)))
    console.log(`· condition: ${text}`);
  for (const text of breaks) console.log(`✗ breaks: ${text}`);
  console.log(`${contracts.length} services against ${released.length} releases: ${breaks.length} findings to fix`);
  return breaks.length > 0 ? 1 : 0;
};

const show = (contract: ReleaseContract): void => {
  for (const part of ['publishes', 'consumes', 'answers', 'asks', 'http', 'webhooks'] as const)
    for (const name of Object.keys(contract[part])) console.log(`${contract.service} ${part} ${name}`);
};

const store = (contract: ReleaseContract, sources: string): void => {
  const conditions = conditionsOf(contract, releasedContracts(ROOT));
  const migrations = migrationDigests(migrationsOf(ROOT, contract.service));
  const recorded = {
    ...contract,
    sources,
    migrations,
    ...(conditions.length > 0 ? { conditions: [...conditions] } : {}),
  };
  console.log(record(ROOT, recorded));
};

/** Reads the sources of a service and its version plans. */
export interface Sources {
  readonly digest: (service: string) => string;
  /** Files and folders that a service is built from. */
  readonly paths: (service: string) => readonly string[];
  readonly hasPlan: (service: string) => boolean;
}

/** Changed services and packages of the checkout without a version plan. */
export const missingPlansOfCheckout = async (root: string, sources: Sources): Promise<readonly MissingPlan[]> => {
  const contracts = new Map((await contractsOfCheckout(root)).map(contract => [contract.service, contract]));
  return missingPlans(Object.keys(RELEASED), {
    released: releasedContracts(root),
    contractOf: unit => contracts.get(unit) as ReleaseContract,
    digestOf: sources.digest,
    changedSince: (release, unit) => changedFiles(root, release, sources.paths(unit)),
    hasPlan: sources.hasPlan,
  });
};

const plans = async (sources: Sources, [option, message = '', ...more]: readonly string[]): Promise<number> => {
  if (more.length > 0 || (option !== undefined && (option !== '--add' || message.trim() === ''))) {
    console.error('usage: contracts plans [--add "<message for administrators>"]');
    return 2;
  }
  const missing = await missingPlansOfCheckout(ROOT, sources);
  if (option === '--add') {
    for (const file of addPlans(ROOT, missing, message.trim())) console.log(file);
    return 0;
  }
  for (const { text } of missing) console.log(`✗ ${text}`);
  console.log(
    missing.length === 0 ? 'Every change has a version plan.' : `${missing.length} plans are missing. ${ADD}`,
  );
  return missing.length > 0 ? 1 : 0;
};

/** Runs the command. @returns the exit code. */
export const contracts = async (args: readonly string[], sources: Sources): Promise<number> => {
  const [command = '', ...named] = args;
  if (command === 'plans') return plans(sources, named);
  if (command === 'can-deploy') return canDeployCommand(ROOT, named);
  if (command === 'deployed') return recordDeployment(ROOT, named);
  const services = named.length > 0 ? named : Object.keys(RELEASED);
  const unknown = services.filter(service => !(service in RELEASED));
  const isIncomplete = (command === 'release' || command === 'show') && named.length !== 1;
  if (!COMMANDS.includes(command) || unknown.length > 0 || isIncomplete) {
    console.error(
      COMMANDS.includes(command) && unknown.length > 0
        ? `unknown service: ${unknown.join(', ')}. The services are ${Object.keys(RELEASED).join(', ')}`
        : USAGE,
    );
    return 2;
  }
  const checked = await Promise.all(services.map(service => contractOfCheckout(ROOT, service)));
  if (command === 'check') return check(checked);
  if (command === 'release' && check(checked) > 0) return 1;
  for (const contract of checked) {
    if (command === 'show') show(contract);
    else store(contract, sources.digest(contract.service));
  }
  return 0;
};
