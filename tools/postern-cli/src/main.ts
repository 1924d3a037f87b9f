import { parseArgs } from 'node:util';
import { NATS_USERS } from '@postern/contracts';
import { silentLog } from '@postern/messaging';
import { defineConfig } from '@postern/service-host/config';
import { connectWith } from '@postern/service-host/nats';
import { recorded } from './audited.js';
import { AUDITED, type AuditedCommand } from './audited-commands.js';
import { exportAudit, listAudit } from './commands/audit.js';
import { reclassify } from './commands/bounces.js';
import { createCertificates } from './commands/certificates.js';
import { doctor } from './commands/doctor.js';
import { discardSetAsideEvent, eventsStatus, listSetAsideEvents, retrySetAsideEvent } from './commands/events.js';
import { generateKeys, keysStatus, rotateKeys } from './commands/keys.js';
import { countOptOuts, removeOptOut } from './commands/opt-outs.js';
import { projectionsStatus, rebuildProjections } from './commands/projections.js';
import { eraseRecipient, listRecipientErasures, showRecipientErasure } from './commands/recipients.js';
import { canDeployBeside, listReleases } from './commands/releases.js';
import { createUserAs } from './commands/users.js';
import { withCredential } from './credential.js';
import type { Operator } from './operator.js';
import { terminalText } from './terminal-text.js';
import { UsageError } from './usage-error.js';

const USAGE = `postern: administer a running Postern

  postern audit list [--from <time>] [--to <time>] [--actor <id>] [--action <name>] [--limit <n>]
                                                  show who did what, newest first
  postern audit export [--format csv|ndjson] [--from …] [--to …] [--actor …] [--action …]
                                                  print all of it as CSV, or as one JSON object a line
  postern doctor [--no-mail] [--json]             check everything that Postern depends on
  postern releases [--json]                       show which releases run
  postern can-deploy [<service>@<version>…] [--together]
                                                  check whether these releases, or that of this image, can be deployed
                                                  beside those that run, and which must go first; --together if all
                                                  other services are upgraded in the same step
  postern projections status [service]            show read models and their lag
  postern projections rebuild <service> [name]    rebuild read models from the first event
  postern events status [service]                 show how far each consumer has read the events of a service
  postern events list [service]                   list events that could not be handled
  postern events retry <service> <event id>       handle one of them again now
  postern events discard <service> <event id>     delete one of them unhandled
  postern bounces reclassify                      class stored bounce notices again by the current rules
  postern users create <email> [--operator] [--workspace <name>]
                                                  create a user as POSTERN_OPERATOR_EMAIL with
                                                  POSTERN_OPERATOR_PASSWORD
  postern keys status                             show how many values each key encrypts
  postern keys rotate                             re-encrypt values, or explain how to start
  postern keys generate                           generate an encryption key and a link secret
  postern certificates create <folder> <name…>    create, or renew, a certificate authority and a certificate
                                                  for the host names and addresses of a NATS server
  postern recipients erase <address> [--wait <seconds>]
                                                  erase a recipient in every service
  postern recipients erasures                     list erasures
  postern recipients erasure <id>                 show what an erasure has erased, and what is left
  postern recipients opt-outs                     count the mailboxes that refuse verification codes
  postern recipients remove-opt-out <address>     let a mailbox receive verification codes again

Commands that change something are recorded in the audit log first; --unaudited runs them while platform-management is down.

It connects to NATS only, and needs the credential of the user "operator", which no service has:
  --home <folder>            of the local start in this folder
  --nats-password-stdin      standard input is its password; POSTERN_NATS_SERVERS names the servers
  POSTERN_NATS_USER and POSTERN_NATS_PASSWORD otherwise
Exit codes: 0 success, 1 a check or command failed, 2 usage error.`;

const CONNECT_TIMEOUT_MS = 4_000;

const { values, positionals } = (() => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        home: { type: 'string' },
        'nats-password-stdin': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        operator: { type: 'boolean' },
        workspace: { type: 'string' },
        'no-mail': { type: 'boolean' },
        wait: { type: 'string' },
        from: { type: 'string' },
        to: { type: 'string' },
        actor: { type: 'string' },
        action: { type: 'string' },
        limit: { type: 'string' },
        format: { type: 'string' },
        json: { type: 'boolean' },
        together: { type: 'boolean' },
        unaudited: { type: 'boolean' },
      },
    });
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
})();

const print = (line: string) => console.log(terminalText(line));

type Command = (operator: Operator, rest: readonly string[]) => Promise<boolean>;

type Connected = Operator & { readonly close: () => Promise<void> };

/** A command with its audit log entry. */
type Listed = readonly [command: Command, audited: AuditedCommand | 'reads'];

const COMMANDS: Readonly<Record<string, Listed>> = {
  'audit list': [operator => listAudit(operator, values), 'reads'],
  'audit export': [operator => exportAudit(operator, values), 'reads'],
  'projections status': [projectionsStatus, 'reads'],
  'projections rebuild': [rebuildProjections, AUDITED['projections rebuild']],
  'events status': [eventsStatus, 'reads'],
  'events list': [listSetAsideEvents, 'reads'],
  'events retry': [retrySetAsideEvent, AUDITED['events retry']],
  'events discard': [discardSetAsideEvent, AUDITED['events discard']],
  'bounces reclassify': [reclassify, AUDITED['bounces reclassify']],
  'users create': [(operator, rest) => createUserAs(operator, rest, values), AUDITED['users create']],
  'keys status': [keysStatus, 'reads'],
  'keys rotate': [rotateKeys, AUDITED['keys rotate']],
  'recipients erase': [(operator, rest) => eraseRecipient(operator, rest, values), AUDITED['recipients erase']],
  'recipients erasures': [listRecipientErasures, 'reads'],
  'recipients erasure': [showRecipientErasure, 'reads'],
  'recipients opt-outs': [countOptOuts, 'reads'],
  'recipients remove-opt-out': [removeOptOut, AUDITED['recipients remove-opt-out']],
};

const commandFor = ([first = '', second = '', ...rest]: readonly string[]): ((
  operator: Operator,
) => Promise<boolean>) => {
  if (first === 'releases') return operator => listReleases(operator, values);
  if (first === 'can-deploy') return operator => canDeployBeside(operator, positionals.slice(1), values);
  const listed = COMMANDS[`${first} ${second}`];
  if (!listed) throw new UsageError(unknownCommand(first, second));
  const [command, audited] = listed;
  if (audited === 'reads') return operator => command(operator, rest);
  return operator => recorded(operator, { audited, rest, unaudited: values.unaudited === true }, command);
};

const unknownCommand = (first: string, second: string): string => {
  const subcommands = [...Object.keys(COMMANDS), 'keys generate', 'certificates create'].filter(name =>
    name.startsWith(`${first} `),
  );
  return subcommands.length > 0
    ? `postern ${first} requires a subcommand: ${subcommands.map(name => name.slice(first.length + 1)).join(', ')}`
    : `unknown command: postern ${first} ${second}`.trimEnd();
};

/** @throws if NATS does not answer in time; the attempts to connect then continue until the process ends. */
const connect = async (withinMs = CONNECT_TIMEOUT_MS): Promise<Connected> => {
  const environment = withCredential(process.env, {
    home: values.home,
    passwordFromStdin: values['nats-password-stdin'],
  });
  const config = defineConfig({}).read(environment);
  // Services wait for NATS indefinitely; a command has a timeout.
  let reason = '';
  const log = {
    ...silentLog,
    warn: (_fields: object, message: string) => {
      reason = message;
    },
  };
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      reject(
        new Error(
          `Could not connect to NATS at ${config.natsServers} within ${withinMs / 1_000} s: ${reason || 'no answer'}. ` +
            'Check that it is running, and set POSTERN_NATS_SERVERS and POSTERN_NATS_CA_FILE as for the services.',
        ),
      ),
    withinMs,
  );
  // A service asks with its own user which releases run before it is upgraded.
  const user = NATS_USERS.find(known => known === config.natsUser) ?? 'operator';
  const { link, requests } = await Promise.race([connectWith(config, user, log), late]).finally(() =>
    clearTimeout(timer),
  );
  return {
    link,
    requests,
    environment: process.env,
    print,
    close: async () => {
      requests.close();
      await link.close();
    },
  };
};

const run = async (): Promise<boolean> => {
  if (values.help || positionals.length === 0 || positionals[0] === 'help') {
    print(USAGE);
    return true;
  }
  const [first, second, ...rest] = positionals;
  if (positionals.join(' ') === 'keys generate') return generateKeys({ print });
  if (first === 'certificates' && second === 'create') return createCertificates(rest, print);
  if (first === 'doctor') return doctor({ mail: !values['no-mail'], json: values.json === true, print, connect });
  const command = commandFor(positionals);
  const operator = await connect();
  try {
    return await command(operator);
  } finally {
    await operator.close();
  }
};

try {
  process.exitCode = (await run()) ? 0 : 1;
} catch (error) {
  console.error(terminalText((error as Error).message));
  if (error instanceof UsageError) console.error('Run `postern --help` for a list of commands.');
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
// A server that does not answer keeps an attempt to connect, or a request, open.
process.exit();
