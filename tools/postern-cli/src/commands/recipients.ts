import { setTimeout as pause } from 'node:timers/promises';
import { getErasure, listErasures, Refusal, type ReplyOf, startErasure } from '@postern/contracts';
import { ServiceUnavailable } from '@postern/messaging';
import type { Operator } from '../operator.js';
import { table } from '../table.js';
import { UsageError } from '../usage-error.js';

type Erasure = ReplyOf<typeof getErasure>;
type Service = Erasure['services'][number];

const POLL_MS = 500;
const WAIT_S = 600;
/** A service that makes no progress for so long is not waited for at the terminal. */
const STUCK_MS = 60_000;

/** `recipients erase <address> [--wait <seconds>]`: records the erasure and shows its progress until it is completed. */
export const eraseRecipient = async (
  operator: Operator,
  [address]: readonly string[],
  { wait = String(WAIT_S) }: { readonly wait?: string | undefined },
): Promise<boolean> => {
  if (!address?.includes('@')) throw new UsageError('recipients erase needs one address, such as ada@example.net');
  const waitMs = Number(wait) * 1_000;
  if (!Number.isFinite(waitMs) || waitMs < 0) throw new UsageError('--wait needs a number of seconds');
  const erasure = await start(operator, address);
  operator.print(`Erasure ${erasure.id}: the address will read ${erasure.replacement}`);
  return report(operator, await follow(operator, erasure, waitMs));
};

/** `recipients erasures`: all erasures, the newest first. */
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
    rows.length === 0
      ? 'No recipient was erased.'
      : table(['ERASURE', 'STATE', 'REQUESTED', 'COMPLETED', 'OPEN'], rows),
  );
  return true;
};

/** `recipients erasure <id>`: what was erased where, and what is left to do. */
export const showRecipientErasure = async (operator: Operator, [id]: readonly string[]): Promise<boolean> => {
  if (id === undefined)
    throw new UsageError('recipients erasure needs the id of an erasure; recipients erasures has them');
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
        ? 'email-send did not answer in time. Run the command again: an erasure that it has recorded is joined.'
        : 'email-send does not answer, so no erasure was recorded. Start email-send and run the command again.',
    );
  }
};

/** Prints each change until the erasure is completed, stuck, or waited for long enough. */
const follow = async ({ requests, print }: Operator, first: Erasure, waitMs: number): Promise<Erasure> => {
  const began = Date.now();
  const shown = new Map<string, string>();
  let [erasure, progressAt] = [first, began];
  for (;;) {
    for (const service of erasure.services) {
      const line = progressOf(erasure, service);
      if (shown.get(service.service) === line) continue;
      shown.set(service.service, line);
      progressAt = Date.now();
      if (service.state !== 'pending') print(line);
    }
    if (erasure.status === 'completed') return erasure;
    if (Date.now() - began >= waitMs || Date.now() - progressAt >= STUCK_MS) return erasure;
    await pause(POLL_MS);
    // While email-send is away nothing changes; it continues when it is back.
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
      ['SERVICE', 'STATE', 'ERASED', 'REASON'],
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
    print('Backups and archived WAL still hold the address: erase it again after you restore one.');
    return true;
  }
  print('\nNot completed. email-send continues the erasure in the background and retries what failed.');
  print(`State: postern recipients erasure ${erasure.id}`);
  return false;
};
