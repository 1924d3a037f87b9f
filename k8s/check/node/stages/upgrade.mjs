import { demand, print } from '../../../../docker/check/report.mjs';
import { trial } from '../../helm.mjs';
import { helmIn } from '../helm.mjs';
import { BROKEN_RELEASE, NEXT_RELEASE, RELEASE } from '../images/images.mjs';
import { Load } from '../load.mjs';
import { TRIAL_SETTINGS } from './install.mjs';

export const name = 'upgrade';
export const title =
  'one service is upgraded under a load of real messages, rolled back, and survives a failed migration';

const upgradeTo = (context, tag) =>
  helmIn(
    context,
    'upgrade',
    ...trial,
    ...TRIAL_SETTINGS,
    '--set',
    `email-send.image.tag=${tag}`,
    '--wait',
    '--timeout',
    '4m',
  );

/**
 * Runs an operation under load, and verifies that no message is lost or duplicated.
 * @returns {Promise<string[]>} ids of the messages that were sent.
 */
export const underLoad = async ({ state }, prefix, work, { mayRefuse = false } = {}) => {
  const load = new Load(state.sender, prefix);
  try {
    await work();
  } finally {
    await new Promise(resolve => setTimeout(resolve, 2_000));
    state.result = await load.stop();
  }
  const { lost, doubled, abandoned } = state.result;
  const details = `${JSON.stringify(load.answers)}, slowest ${Math.round(load.slowestMs)} ms`;
  print(`${load.sent.length} messages: ${details}`);
  demand(`${prefix}: messages are accepted`, load.sent.length > 0, load.refusals.slice(0, 5).join('; '));
  demand(`${prefix}: a retry of each refused one is accepted`, abandoned.length === 0, abandoned.slice(0, 5).join());
  demand(`${prefix}: every message that was accepted arrives`, lost.length === 0, lost.slice(0, 5).join());
  demand(`${prefix}: none arrives twice`, doubled.length === 0, doubled.slice(0, 5).join());
  const [refused, unexpected] = mayRefuse
    ? [[], load.failed.filter(details => !details.includes('interrupted'))]
    : [load.refusals, load.failed];
  const claim = mayRefuse
    ? 'no message fails, unless its process was killed and the reply reports it'
    : 'no request fails';
  demand(
    `${prefix}: ${claim}`,
    refused.length + unexpected.length === 0,
    [...refused, ...unexpected].slice(0, 5).join(),
  );
  return load.ids;
};

const database = ({ cluster }, sql) =>
  cluster.exec(
    'postern',
    'postern-postgresql-0',
    'psql',
    '-h',
    '/var/run/postgresql',
    '-U',
    'postgres',
    '-d',
    'email_send',
    '-Atc',
    sql,
  );

export const run = async context => {
  await underLoad(context, 'Upgrade', () => upgradeTo(context, NEXT_RELEASE));
  demand('the new release runs', (await context.cluster.imageOf('email-send')).endsWith(NEXT_RELEASE));
  const table = await database(context, `SELECT count(*) FROM pg_tables WHERE tablename = 'check_of_upgrades'`);
  demand('its migration was applied', table.trim() === '1', table);

  const refusal = await upgradeTo(context, BROKEN_RELEASE).then(() => '', String);
  demand(
    'an upgrade whose migration fails is refused',
    /pre-upgrade hooks failed/.test(refusal),
    refusal.slice(0, 300),
  );
  const answer = await context.state.sender.send('After a failed migration');
  demand(
    'and the release before still serves',
    answer.status === 200 && (await context.cluster.imageOf('email-send')).endsWith(NEXT_RELEASE),
    answer.text,
  );

  const history = JSON.parse(await helmIn(context, 'history', 'postern', '--namespace', 'postern', '--output', 'json'));
  const good = history.findLast(({ status }) => status === 'superseded');
  await underLoad(context, 'Rollback', () =>
    helmIn(
      context,
      'rollback',
      'postern',
      String(good.revision),
      '--namespace',
      'postern',
      '--wait',
      '--timeout',
      '4m',
    ),
  );
  demand(
    'a rollback brings the release before it back',
    (await context.cluster.imageOf('email-send')).endsWith(RELEASE),
    await context.cluster.imageOf('email-send'),
  );
};
