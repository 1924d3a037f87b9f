import { parseArgs } from 'node:util';
import { silentLog } from '@postern/messaging';
import { connectWith } from '@postern/service-host';
import { defineConfig } from '@postern/service-host/config';
import { doctor } from './commands/doctor.js';
import { discardSetAsideEvent, listSetAsideEvents, retrySetAsideEvent } from './commands/events.js';
import { generateKeys, keysStatus, rotateKeys } from './commands/keys.js';
import { outboxStatus } from './commands/outbox.js';
import { projectionsStatus, rebuildProjections } from './commands/projections.js';
import { eraseRecipient, listRecipientErasures, showRecipientErasure } from './commands/recipients.js';
import { createUserAs } from './commands/users.js';
import type { Operator } from './operator.js';
import { UsageError } from './usage-error.js';

const USAGE = `postern: what an operator does with a running Postern

  postern doctor [--no-mail]                      what Postern stands on, and what to change
  postern projections status [service]            read models and how far they are behind
  postern projections rebuild <service> [name]    folds read models again from the first event on
  postern outbox status [service]                 what waits to be published
  postern events list [service]                   events that could not be handled and were set aside
  postern events retry <service> <event id>       handles one of them again now
  postern events discard <service> <event id>     deletes one of them unhandled
  postern users create <email> [--operator] [--workspace <name>]
                                                  as POSTERN_OPERATOR_EMAIL with POSTERN_OPERATOR_PASSWORD
  postern keys status                             what is sealed under which key
  postern keys rotate                             how to, and sealing again
  postern keys generate                           a new key and a new secret
  postern recipients erase <address> [--wait <seconds>]
                                                  erases a recipient in every service
  postern recipients erasures                     erasures, and whether they are completed
  postern recipients erasure <id>                 what an erasure has erased where, and what is left

It needs NATS and nothing else: POSTERN_NATS_SERVERS and its companions, as the services have them.
Exit codes: 0 all is well, 1 something is not, 2 not understood.`;

const FIRST_ANSWER_WITHIN_MS = 10_000;

const { values, positionals } = (() => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        operator: { type: 'boolean' },
        workspace: { type: 'string' },
        'no-mail': { type: 'boolean' },
        wait: { type: 'string' },
      },
    });
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
})();

const print = (line: string) => console.log(line);

type Command = (operator: Operator, rest: readonly string[]) => Promise<boolean>;

const COMMANDS: Readonly<Record<string, Command>> = {
  'projections status': projectionsStatus,
  'projections rebuild': rebuildProjections,
  'outbox status': outboxStatus,
  'events list': listSetAsideEvents,
  'events retry': retrySetAsideEvent,
  'events discard': discardSetAsideEvent,
  'users create': (operator, rest) => createUserAs(operator, rest, values),
  'keys status': keysStatus,
  'keys rotate': rotateKeys,
  'recipients erase': (operator, rest) => eraseRecipient(operator, rest, values),
  'recipients erasures': listRecipientErasures,
  'recipients erasure': showRecipientErasure,
};

const commandFor = ([first = '', second = '', ...rest]: readonly string[]): ((
  operator: Operator,
) => Promise<boolean>) => {
  if (first === 'doctor') return operator => doctor(operator, { mail: !values['no-mail'] });
  const command = COMMANDS[`${first} ${second}`];
  if (!command) throw new UsageError(`there is no command ${first} ${second}`.trimEnd());
  return operator => command(operator, rest);
};

const connect = async (): Promise<Operator & { readonly close: () => Promise<void> }> => {
  const config = defineConfig({}).read(process.env);
  // Services wait for NATS as long as it takes; somebody at a terminal does not.
  const timer = setTimeout(() => {
    console.error(`NATS does not answer at ${config.natsServers}: is POSTERN_NATS_SERVERS what the services have?`);
    process.exit(1);
  }, FIRST_ANSWER_WITHIN_MS);
  const { link, requests } = await connectWith(config, 'postern', silentLog);
  clearTimeout(timer);
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
  if (values.help || positionals.length === 0) {
    print(USAGE);
    return true;
  }
  if (positionals.join(' ') === 'keys generate') return generateKeys({ print });
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
  console.error((error as Error).message);
  if (error instanceof UsageError) console.error('postern --help says what there is.');
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
