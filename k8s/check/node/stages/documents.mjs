import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demand, print } from '../../../../docker/check/report.mjs';
import { SERVICES } from '../../helm.mjs';
import { DATABASES, databaseUrl, startBrokers } from '../documents/brokers.mjs';
import { commandsOf, DocumentBlocks } from '../documents/document-blocks.mjs';
import { Shell } from '../documents/shell.mjs';
import { smallValues } from '../documents/small.mjs';
import { MANUAL, NOT_RUN, OPERATIONS } from '../documents/steps.mjs';
import { NEXT_RELEASE, RELEASE } from '../images/images.mjs';
import { NAMESPACE, secretObjects, secretsByHand, untilRolledOut, whileBalancing } from '../installation.mjs';
import { call, makeSender, Operator, succeeded } from '../mail-client.mjs';
import { eventually } from '../runtime/platform.mjs';
import { NODE_ADDRESS } from '../settings.mjs';
import { addVolume } from '../volumes.mjs';
import { underLoad } from './upgrade.mjs';

export const name = 'documents';
export const title =
  'the commands of docs/kubernetes.md, and the doctor of docs/operations.md, are run as they are written';

const LOCAL = 'http://127.0.0.1:8080';
const DIGEST = 'image.digest=sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';
/** Placeholders that a reader replaces, in addition to the values of small.mjs. */
const TABLE = [
  ['smtp://user:password@relay.example.com:587', `smtp://${NODE_ADDRESS}:2525?tls=none`, 'a relay outside'],
  ['--set image.tag=1.4.0', `--set image.tag=${NEXT_RELEASE}`, 'a release that the node has'],
  [`--set ${DIGEST}`, `--set image.tag=${RELEASE}`, 'a release that the node has'],
];

/** The commands of a document, by their step. @returns {any} */
/** @param {{ path: string, part?: object, blocks: Record<string, string> }} document @returns {any} */
const takeFrom = ({ path, part, blocks }) => {
  const document = new DocumentBlocks(path, part);
  const taken = Object.fromEntries(Object.entries(blocks).map(([step, text]) => [step, document.take(text)]));
  const reasons = Object.entries(NOT_RUN);
  for (const block of document.left) {
    const [, reason] = reasons.find(([text]) => block.includes(text)) ?? [];
    demand(`${path}: not run is ${block.split('\n')[0]}: ${reason}`, reason !== undefined, block);
  }
  return taken;
};

const uninstall = ({ shell }, release = 'postern') =>
  shell.run(`helm uninstall ${release} --namespace ${NAMESPACE} --wait --timeout 4m`);

const deleteNamespaces = ({ cluster }) =>
  cluster.kubectl('delete', 'namespace', NAMESPACE, 'postern-tenants', '--ignore-not-found', '--timeout=240s');

const volumes = async (context, step) => {
  await addVolume(context, `documents-${step}-postgresql`, '8Gi');
  await addVolume(context, `documents-${step}-nats`, '4Gi');
};

const signInLocally = async password => {
  const session = { email: 'owner@example.com', password };
  const { token } = succeeded(await call('POST', `${LOCAL}/dashboard/api/session`, session));
  return new Operator(LOCAL, token);
};

/** Installs the trial, reads the password by the command in its notes, and signs in through the forwarded port. */
const trial = async (context, { trial: block }) => {
  const { shell } = context;
  await volumes(context, 'trial');
  const [install, forward] = commandsOf(block);
  const notes = await shell.run(install);
  const [command] = notes.match(/kubectl get secret .*operator-password.*/) ?? [];
  const password = await shell.run(command);
  const forwarding = shell.start(forward);
  try {
    const operator = await eventually('a sign-in through the forwarded port', () => signInLocally(password.trim()));
    const services = await operator.request('GET', '/email-services');
    demand('the first administrator signs in through the forwarded port', services !== undefined);
  } finally {
    forwarding.kill();
    if (forwarding.exitCode === null) await once(forwarding, 'exit');
  }
};

/** The example domains have no DNS records here, and their relay does not exist. */
const OUTSIDE = /example\.com|return path|relay/i;

const examines = async ({ shell }, { doctor }) => {
  const printed = await shell.run(`${doctor} || [ $? = 1 ]`);
  print(printed.trim().split('\n').at(-1));
  const found = printed.split('\n').map(line => line.trim());
  const failed = found.filter(line => line.startsWith('✗') && !OUTSIDE.test(line));
  demand('the doctor finds nothing but what is outside the cluster', failed.length === 0, failed.join('\n'));
  const good = found.filter(line => line.startsWith('✓')).length;
  demand(`${good} of its checks pass`, good > 20, printed);
};

/** The Secrets that the document leaves to the reader, with the URL of each database. */
const createOtherSecrets = ({ cluster }, password) => {
  const { 'postern-links': _, 'postern-email-send': __, ...others } = secretsByHand();
  for (const service of DATABASES.filter(each => each !== 'email-send')) {
    const secret = `postern-${service}`;
    others[secret] = { ...others[secret], 'database-url': databaseUrl(service, password) };
  }
  return cluster.apply(...secretObjects(others));
};

const installs = async (context, { secrets, install }) => {
  const password = await startBrokers(context);
  await context.shell.run(secrets, [['…', password]]);
  await createOtherSecrets(context, password);
  await whileBalancing(context, () => context.shell.run(install));
  await untilRolledOut(context, SERVICES.length);
};

const sends = async (context, address) => {
  const operator = await Operator.signIn(context, NAMESPACE);
  const sender = await makeSender(operator, address);
  const answer = await sender.send('As documented');
  demand('a message is sent', answer.status === 200 && answer.body.status === 'sent', answer.text);
  return sender;
};

/** Installs a release with the commands of one block, in place of the previous one. */
const installsAnew = async (context, step, block) => {
  await uninstall(context);
  await volumes(context, step);
  await context.shell.run(block);
  await untilRolledOut(context, SERVICES.length);
  await sends(context, `${step}@customer.test`);
};

const upgrades = async (context, blocks) => {
  for (const step of ['ingress', 'gateway', 'monitoring', 'tracing']) {
    await context.shell.run(blocks[step]);
    await untilRolledOut(context, SERVICES.length);
  }
  for (const step of ['included-nats', 'included-postgresql']) await installsAnew(context, step, blocks[step]);
  await uninstall(context);
  await whileBalancing(context, () => context.shell.run(blocks.install));
  await untilRolledOut(context, SERVICES.length);
};

/** Moves email-send to a separate release under load, then upgrades it, rolls it back and restarts it. */
const releasesOne = async (context, { handOver, release, rollback, restart }) => {
  const { shell } = context;
  const loaded = { ...context, state: { sender: await sends(context, 'handover@customer.test') } };
  const step = async (title, block, tag) => {
    await underLoad(loaded, title, async () => {
      await shell.run(block);
      await untilRolledOut(context, SERVICES.length);
    });
    demand(`${title}: email-send is ${tag}`, (await context.cluster.imageOf('email-send')).endsWith(tag));
  };
  await step('Handed over', handOver, RELEASE);
  await step('Released alone', release, NEXT_RELEASE);
  await step('Rolled back', rollback, RELEASE);
  await step('Restarted', restart, RELEASE);
};

/** Each of the other services as a separate release, in place of the postern chart. */
const releasesEach = async (context, blocks) => {
  await uninstall(context);
  for (const service of SERVICES.filter(each => each !== 'email-send')) await context.shell.run(blocks[service]);
  await untilRolledOut(context, SERVICES.length);
  await sends(context, 'separate@customer.test');
};

export const run = async context => {
  const manual = takeFrom(MANUAL);
  const shell = new Shell(context, [...smallValues(context.folder), ...TABLE]);
  const documented = { ...context, shell };
  await context.cluster.apply(...JSON.parse(readFileSync(join(context.folder, 'custom-resources.json'), 'utf8')));
  await uninstall(documented);
  await deleteNamespaces(context);
  await shell.run(manual.dependencies);
  await trial(documented, manual);
  await examines(documented, takeFrom(OPERATIONS));
  await uninstall(documented);
  await deleteNamespaces(context);
  await installs(documented, manual);
  await upgrades(documented, manual);
  await releasesOne(documented, manual);
  await releasesEach(documented, manual);
};
