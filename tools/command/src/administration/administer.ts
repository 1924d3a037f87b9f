import { setTimeout as pause } from 'node:timers/promises';
import { NATS_USERS } from '@postern/contracts';
import { silentLog } from '@postern/messaging';
import { defineConfig } from '@postern/service-host/config';
import { connectWith } from '@postern/service-host/nats';
import { printable } from '../output/output.js';
import { exportAudit, listAudit } from './audit.js';
import { recorded } from './audited.js';
import { AUDITED, type AuditedName } from './audited-commands.js';
import { reclassify } from './bounces.js';
import { createCertificates } from './certificates.js';
import { withCredential } from './credential.js';
import { doctor } from './doctor.js';
import { discardSetAsideEvent, eventsStatus, listSetAsideEvents, retrySetAsideEvent } from './events.js';
import { generateKeys, keysStatus, rotateKeys } from './keys.js';
import type { Operator } from './operator.js';
import { countOptOuts, removeOptOut } from './opt-outs.js';
import { projectionsStatus, rebuildProjections } from './projections.js';
import { eraseRecipient, listRecipientErasures, showRecipientErasure } from './recipients.js';
import { canDeployBeside, listReleases } from './releases.js';
import { createUserAs } from './users.js';

/** The options of all commands for administrators, as commander names them. */
export interface AdministrationOptions {
  readonly home?: string;
  readonly natsPasswordStdin?: boolean;
  readonly unaudited?: boolean;
  readonly mail?: boolean;
  readonly json?: boolean;
  readonly together?: boolean;
  readonly operator?: boolean;
  readonly workspace?: string;
  readonly wait?: string;
  readonly from?: string;
  readonly to?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly limit?: string;
  readonly format?: string;
}

/** An operator's connection, and how to close it. */
type Connected = Operator & { readonly close: () => Promise<void> };

type Task = (operator: Operator, args: readonly string[], options: AdministrationOptions) => Promise<boolean>;

const CONNECT_TIMEOUT_MS = 4_000;

const TASKS = {
  releases: (operator, _args, options) => listReleases(operator, options),
  'can-deploy': canDeployBeside,
  'audit list': (operator, _args, options) => listAudit(operator, options),
  'audit export': (operator, _args, options) => exportAudit(operator, options),
  'projections status': projectionsStatus,
  'projections rebuild': rebuildProjections,
  'events status': eventsStatus,
  'events list': listSetAsideEvents,
  'events retry': retrySetAsideEvent,
  'events discard': discardSetAsideEvent,
  'bounces reclassify': reclassify,
  'users create': createUserAs,
  'keys status': keysStatus,
  'keys rotate': rotateKeys,
  'recipients erase': eraseRecipient,
  'recipients erasures': listRecipientErasures,
  'recipients erasure': showRecipientErasure,
  'recipients opt-outs': countOptOuts,
  'recipients remove-opt-out': removeOptOut,
} as const satisfies Readonly<Record<string, Task>>;

const print = (line: string) => console.log(printable(line));

/** Those that need no connection, or connect by themselves. */
const UNCONNECTED = {
  doctor: (_args: readonly string[], options: AdministrationOptions) =>
    doctor({
      mail: options.mail !== false,
      json: options.json === true,
      print,
      connect: withinMs => connect(options, withinMs),
    }),
  'keys generate': () => generateKeys({ print }),
  'certificates create': (args: readonly string[]) => createCertificates(args, print),
} as const;

/** The full name of a command for administrators. */
export type TaskName = keyof typeof TASKS | keyof typeof UNCONNECTED;

/** Carries out a command for administrators. @returns whether it succeeded. */
export const administer = async (
  name: TaskName,
  args: readonly string[],
  options: AdministrationOptions,
): Promise<boolean> => {
  if (isUnconnected(name)) return UNCONNECTED[name](args, options);
  const task: Task = TASKS[name];
  const operator = await connect(options);
  try {
    if (!isAudited(name)) return await task(operator, args, options);
    const invocation = { audited: AUDITED[name], rest: args, unaudited: options.unaudited === true };
    return await recorded(operator, invocation, (recordedOperator, rest) => task(recordedOperator, rest, options));
  } finally {
    await operator.close();
  }
};

const isUnconnected = (name: TaskName): name is keyof typeof UNCONNECTED => name in UNCONNECTED;
const isAudited = (name: TaskName): name is AuditedName => name in AUDITED;

/** @throws if NATS does not answer in time; the attempts to connect then continue until the process ends. */
const connect = async (
  { home, natsPasswordStdin }: AdministrationOptions,
  withinMs = CONNECT_TIMEOUT_MS,
): Promise<Connected> => {
  const environment = withCredential(process.env, { home, passwordFromStdin: natsPasswordStdin });
  const config = defineConfig({}).read(environment);
  // Services wait for NATS indefinitely; a command has a timeout.
  let reason = 'no answer';
  const log = {
    ...silentLog,
    warn: (_fields: object, message: string) => {
      reason = message;
    },
  };
  // A service asks with its own user which releases run before it is upgraded.
  const user = NATS_USERS.find(known => known === config.natsUser) ?? 'operator';
  const ended = new AbortController();
  const late = pause(withinMs, undefined, { signal: ended.signal }).then(() => {
    throw new Error(
      `Could not connect to NATS at ${config.natsServers} within ${withinMs / 1_000} s: ${reason}. ` +
        'Check that it is running, and set POSTERN_NATS_SERVERS and POSTERN_NATS_CA_FILE as for the services.',
    );
  });
  const { link, requests } = await Promise.race([connectWith(config, user, log), late]).finally(() => ended.abort());
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
