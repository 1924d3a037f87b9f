import { setTimeout as pause } from 'node:timers/promises';
import { getErasure, listErasures, Refusal, type ReplyOf, startErasure } from '@postern/contracts';
import { ServiceUnavailable } from '@postern/messaging';
import { UsageError } from '../errors.js';
import { table } from '../output/table.js';
import type { Operator } from './operator.js';

type Erasure = ReplyOf<typeof getErasure>;
type Service = Erasure['services'][number];

const POLL_MS = 500;
const WAIT_S = 600;
/** The command stops waiting when no service has made progress for this long. */
const STUCK_MS = 60_000;

/** `recipients erase <address> [--wait <seconds>]`: records the erasure and shows its progress until it is completed. */
export const eraseRecipient = async (
  operator: Operator,
  [address]: readonly string[],
  { wait = String(WAIT_S) }: { readonly wait?: string | undefined },
): Promise<boolean> => {
  if (!address?.includes('@')) throw new UsageError('recipients erase requires an address, such as ada@example.net');
  const waitMs = Number(wait) * 1_000;
  if (!Number.isFinite(waitMs) || waitMs < 0) throw new UsageError('--wait requires a number of seconds');
  const erasure = await start(operator, address);
  operator.affects?.(erasure.id);
  operator.print(`Erasure ${erasure.id}: the address is replaced by ${erasure.replacement}`);
  return report(operator, await follow(operator, erasure, waitMs));
};

/** `recipients erasures`: lists all erasures, newest first. */
export const listRecipientErasures = async (operator: Operator): Promise<boolean> => {
  const { erasures } = await operator.requests.request(listErasures, {});
  const rows = erasures.map(erasure => [
    erasure.id,
    erasure.status,
    erasure.requested_at,
    erasure.completed_at ?? '-',
    erasure.services
      .filter(({ state }) => state !== 'done')
      .map(({ service, state }) => `${service} ${state}`)
      .join(', ') || '-',
  ]);
  operator.print(
    rows.length === 0 ? 'No erasures.' : table(['ERASURE', 'STATUS', 'REQUESTED', 'COMPLETED', 'UNFINISHED'], rows),
  );
  return true;
};

/** `recipients erasure <id>`: shows what was erased in which service, and what is left to do. */
export const showRecipientErasure = async (operator: Operator, [id]: readonly string[]): Promise<boolean> => {
  if (id === undefined)
    throw new UsageError(
      'recipients erasure requires the id of an erasure. Run `postern recipients erasures` to list them',
    );
  try {
    return report(operator, await operator.requests.request(getErasure, { erasure_id: id }));
  } catch (error) {
    if (error instanceof Refusal) throw new UsageError(error.message);
    throw error;
  }
};

const start = async (operator: Operator, address: string): Promise<Erasure> => {
  try {
    return await operator.requests.request(startErasure, { address });
  } catch (error) {
    if (error instanceof Refusal) throw new UsageError(error.message);
    if (!(error instanceof ServiceUnavailable)) throw error;
    throw new Error(
      error.maybeExecuted
        ? 'email-send did not respond in time. Run the command again; it continues an erasure that was recorded.'
        : 'email-send did not respond, so no erasure was recorded. Start email-send and run the command again.',
    );
  }
};

/** Prints each change until the erasure is completed, makes no progress, or `waitMs` has passed. */
const follow = async ({ requests, print }: Operator, first: Erasure, waitMs: number): Promise<Erasure> => {
  const startedAt = Date.now();
  const shown = new Map<string, string>();
  let [erasure, progressAt] = [first, startedAt];
  for (;;) {
    for (const service of erasure.services) {
      const line = progressOf(erasure, service);
      if (shown.get(service.service) === line) continue;
      shown.set(service.service, line);
      progressAt = Date.now();
      if (service.state !== 'pending') print(line);
    }
    if (erasure.status === 'completed') return erasure;
    if (Date.now() - startedAt >= waitMs || Date.now() - progressAt >= STUCK_MS) return erasure;
    await pause(POLL_MS);
    // While email-send is down nothing changes; it continues when it is back.
    erasure = await requests.request(getErasure, { erasure_id: first.id }).catch((error: unknown) => {
      if (error instanceof ServiceUnavailable) return erasure;
      throw error;
    });
  }
};

const progressOf = ({ pass }: Erasure, { service, state, reason }: Service): string =>
  `pass ${pass}, ${service}: ${state}${reason === null ? '' : ` (${reason})`}`;

const report = ({ print }: Operator, erasure: Erasure): boolean => {
  const { services, status, completed_at } = erasure;
  print('');
  print(
    table(
      ['SERVICE', 'STATUS', 'ERASED', 'REASON'],
      services.map(({ service, state, erased, reason }) => [
        service,
        state,
        erased.map(({ kind, rows }) => `${rows} ${kind}`).join(', ') || 'nothing',
        reason ?? '',
      ]),
    ),
  );
  for (const { service, kept } of services)
    for (const { kind, rows, reason } of kept) print(`\n${service} keeps ${rows} ${kind}: ${reason}.`);
  if (status === 'completed') {
    print(`\nCompleted at ${completed_at}: the last pass over all services found nothing.`);
    print('Backups and archived WAL still contain the address. Erase it again after a restore.');
    return true;
  }
  print('\nNot completed. email-send continues the erasure in the background and retries what failed.');
  print(`Status: postern recipients erasure ${erasure.id}`);
  return false;
};
