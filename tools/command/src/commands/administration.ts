import { Command, Option } from 'commander';
import type { AdministrationOptions, TaskName } from '../administration/administer.js';
import { AUDITED } from '../administration/audited-commands.js';
import { group, withExamples } from '../command-line.js';
import { UsageError } from '../errors.js';

/** The code of these commands, which only installations and checkouts have: users download the command without it. */
const implementation = async () => {
  try {
    return await import('../administration/administer.js');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError('This command administers a Postern installation. Run it where Postern is installed.');
  }
};

/** The options that select the operator's credential; they may also stand before the command. */
export const credentialOptions = (): readonly Option[] => [
  new Option('--home <folder>', 'read the credential of the operator from the home of a local start'),
  new Option('--nats-password-stdin', 'read the password of the operator for NATS from standard input'),
];

/** A command for administrators; `words` are its name, after the name of its group. */
const task = (name: TaskName, summary: string, examples: readonly string[], args = ''): Command => {
  const declared = withExamples(new Command(name.split(' ').at(-1)).description(summary), examples);
  if (args !== '') declared.arguments(args);
  for (const option of credentialOptions()) declared.addOption(option);
  if (name in AUDITED) declared.option('--unaudited', 'run even while the audit log cannot record the command');
  return declared.action(async () => {
    const { administer } = await implementation();
    try {
      const done = await administer(name, declared.args, declared.optsWithGlobals<AdministrationOptions>());
      if (!done) process.exitCode = 1;
    } finally {
      // A server that does not answer keeps an attempt to connect, or a request, open.
      setImmediate(() => process.exit());
    }
  });
};

const filtered = (command: Command): Command =>
  command
    .option('--from <time>', 'only entries since this time')
    .option('--to <time>', 'only entries before this time')
    .option('--actor <id>', 'only entries of this user or key')
    .option('--action <name>', 'only this action, or these actions: platform_key or platform_key.created');

/** The commands for administrators, which use the NATS user `operator`. */
export const administration = (): readonly Command[] => [
  task('doctor', 'Check everything that Postern depends on', [
    'postern doctor',
    'postern doctor --no-mail --home .postern',
  ])
    .option('--no-mail', 'send no message to a return path')
    .option('--json', 'print JSON'),
  task('releases', 'Show which releases run', ['postern releases', 'postern releases --json']).option(
    '--json',
    'print JSON',
  ),
  task(
    'can-deploy',
    'Check whether these releases, or that of this image, can be deployed beside those that run, and which must go first',
    ['postern can-deploy', 'postern can-deploy email-send@0.3.0 delivery-tracking@0.3.0 --together'],
    '[releases...]',
  )
    .option('--together', 'all other services are upgraded in the same step')
    .addOption(new Option('--to <environment>').hideHelp()),
  group('audit', 'Show and export the audit log', [
    filtered(
      task('audit list', 'Show who did what, newest first', [
        'postern audit list --action platform_key --from 2030-01-01',
      ]),
    ).option('--limit <n>', 'the number of entries, up to 100', '20'),
    filtered(
      task('audit export', 'Print all entries as CSV, or as one JSON object per line', [
        'postern audit export --format ndjson > audit-log.ndjson',
      ]),
    ).option('--format <format>', 'csv or ndjson', 'csv'),
  ]),
  group('projections', 'Show and rebuild read models', [
    task(
      'projections status',
      'Show read models and their lag',
      ['postern projections status', 'postern projections status email-send'],
      '[service]',
    ),
    task(
      'projections rebuild',
      'Rebuild read models from the first event',
      ['postern projections rebuild delivery-tracking tracked-emails'],
      '<service> [name]',
    ),
  ]),
  group('events', 'Show how far consumers have read, and the events that they could not handle', [
    task(
      'events status',
      'Show how far each consumer has read the events of a service',
      ['postern events status', 'postern events status email-send'],
      '[service]',
    ),
    task('events list', 'List events that could not be handled', ['postern events list'], '[service]'),
    task(
      'events retry',
      'Handle such an event again now',
      ['postern events retry webhook-dispatch 0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f'],
      '<service> <event>',
    ),
    task(
      'events discard',
      'Delete such an event unhandled',
      ['postern events discard webhook-dispatch 0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f'],
      '<service> <event>',
    ),
  ]),
  group('bounces', 'Classify bounce notices again', [
    task('bounces reclassify', 'Classify stored bounce notices again by the current rules', [
      'postern bounces reclassify',
    ]),
  ]),
  group('users', 'Create users', [
    task(
      'users create',
      'Create a user as POSTERN_OPERATOR_EMAIL with POSTERN_OPERATOR_PASSWORD; POSTERN_NEW_PASSWORD sets its password',
      ['postern users create bea@example.com --workspace Shop'],
      '<email>',
    )
      .option('--operator', 'the user administers Postern')
      .option('--workspace <name>', 'the name of its workspace'),
  ]),
  group('keys', 'Show, rotate and generate encryption keys', [
    task('keys status', 'Show how many values each key encrypts', ['postern keys status']),
    task('keys rotate', 'Encrypt all values with the first key, or explain how to add one', ['postern keys rotate']),
    task('keys generate', 'Generate an encryption key and a link secret', ['postern keys generate']),
  ]),
  group('certificates', 'Create certificates for NATS', [
    task(
      'certificates create',
      'Create or renew a certificate authority, and a certificate for the host names and addresses of a NATS server',
      ['postern certificates create /etc/nats/tls nats.example.com 192.0.2.7'],
      '<folder> <names...>',
    ),
  ]),
  group('recipients', 'Erase recipients, and show opt-outs', [
    task(
      'recipients erase',
      'Erase a recipient in every service, and show the progress',
      ['postern recipients erase ada@example.net --wait 60'],
      '<address>',
    ).option('--wait <seconds>', 'how long to show the progress', '600'),
    task('recipients erasures', 'List erasures', ['postern recipients erasures']),
    task(
      'recipients erasure',
      'Show what an erasure has erased, and what is left',
      ['postern recipients erasure 0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f'],
      '<id>',
    ),
    task('recipients opt-outs', 'Count the mailboxes that refuse verification codes', ['postern recipients opt-outs']),
    task(
      'recipients remove-opt-out',
      'Let a mailbox receive verification codes again',
      ['postern recipients remove-opt-out ada@example.net'],
      '<address>',
    ),
  ]),
];
