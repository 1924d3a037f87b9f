import { Refusal } from '@postern/contracts';
import { type Append, ConcurrencyConflict } from '@postern/event-sourcing';
import { appendAll, inTransaction, lockStreams, type PostgresEventStore } from '@postern/event-sourcing/postgres';
import type { ClientBase } from 'pg';
import { countOneMore, rateLimitOf, refusalOfOneMore } from '../email-services/email-limits.js';
import { emailStream } from './email.js';
import { INSERT_OPEN_REQUESTS } from './emails.sql.js';
import type { Admission, AdmissionContext, AdmissionRequest, RepeatedAnswer } from './ports.js';
import { type AdmissionWriter, messageColumns } from './postgres-fast-path.js';
import { claimKeys, type EarlierAnswer, findKeys, releaseKeys } from './postgres-idempotency-keys.js';
import { findByFingerprint, findById } from './postgres-repeated-requests.js';
import { readUsage, UsageCounters } from './postgres-usage-counters.js';

/** The slow path: decides a batch request by request, in one transaction. */
export const admitEach = (
  store: PostgresEventStore,
  batch: readonly AdmissionRequest[],
  appends: readonly Append[],
  writer: AdmissionWriter,
): Promise<(Admission | Refusal)[]> =>
  inTransaction(store.pool, async client => {
    const outcomes = await decideEach(client, store, batch);
    const isIn = (_: unknown, place: number) => isAdmitted(outcomes[place]!);
    const admitted = batch.filter(isIn);
    if (admitted.length > 0) {
      const appended = await appendAll(client, appends.filter(isIn));
      const conflict = appended.find(result => result instanceof ConcurrencyConflict);
      if (conflict) throw conflict;
      await insertOpenRequests(client, admitted, writer);
    }
    return outcomes;
  });

/** Whether a request became a new message. */
export const isAdmitted = (outcome: Admission | Refusal): boolean => 'kind' in outcome && outcome.kind === 'admitted';

/**
 * Finds repetitions and claims keys first, so that a repetition is not counted; then checks the limits against counters
 * that stay locked until the transaction ends. Refused requests write nothing. Returns in the order of the requests.
 */
async function decideEach(
  client: ClientBase,
  store: PostgresEventStore,
  requests: readonly AdmissionRequest[],
): Promise<(Admission | Refusal)[]> {
  await lockStreams(
    client,
    requests.map(({ emailId }) => emailStream(emailId)),
  );
  const earlier = new Map<AdmissionRequest, EarlierAnswer>(await findById(client, store, requests));
  for (const step of [findByFingerprint, claimKeys]) {
    const undecided = requests.filter(request => !earlier.has(request));
    for (const [request, found] of await step(client, undecided)) earlier.set(request, found);
  }
  const decided = await applyLimits(
    client,
    requests.filter(request => !earlier.has(request)),
  );
  for (const [request, found] of earlier) decided.set(request, await repeatedAnswer(client, request, found));
  return requests.map(request => decided.get(request)!);
}

async function applyLimits(
  client: ClientBase,
  requests: readonly AdmissionRequest[],
): Promise<Map<AdmissionRequest, Admission | Refusal>> {
  const usage = await UsageCounters.take(client, requests);
  const refused: AdmissionRequest[] = [];
  const decided = new Map<AdmissionRequest, Admission | Refusal>();
  for (const request of requests) {
    const { counts } = request.facts;
    const before = usage.of(request);
    const refusal = refusalOfOneMore(before, counts, request.at);
    if (refusal) {
      refused.push(request);
      decided.set(request, refusal);
    } else {
      const after = countOneMore(before, counts);
      usage.set(request, after);
      decided.set(request, { kind: 'admitted', rateLimit: rateLimitOf(after, request.at) });
    }
  }
  await usage.settle(client);
  await releaseKeys(client, refused.flatMap(claimOf));
  return decided;
}

/** Finds what a request repeats, without admitting it: its own message, a claimed key, a body with an unknown outcome. */
export async function findEarlier(
  store: PostgresEventStore,
  request: AdmissionContext,
): Promise<EarlierAnswer | undefined> {
  const { pool } = store;
  for (const found of [
    await findById(pool, store, [request]),
    await findKeys(pool, [request]),
    await findByFingerprint(pool, [request]),
  ]) {
    const earlier = found.get(request);
    if (earlier) return earlier;
  }
  return undefined;
}

/** The answer to a repeated request. */
export async function repeatedAnswer(
  client: Pick<ClientBase, 'query'>,
  request: AdmissionContext,
  earlier: EarlierAnswer,
): Promise<RepeatedAnswer | Refusal> {
  if (earlier instanceof Refusal) return earlier;
  return { kind: 'repeated', ...earlier, rateLimit: rateLimitOf(await readUsage(client, request), request.at) };
}

function claimOf({ serviceId, idempotencyKey, facts }: AdmissionRequest) {
  return idempotencyKey === undefined ? [] : [{ serviceId, key: idempotencyKey, emailId: facts.email_id }];
}

/** Stores the bodies of admitted messages, and their requests as open in this process. */
async function insertOpenRequests(
  client: ClientBase,
  admitted: readonly AdmissionRequest[],
  { instanceId, seal }: AdmissionWriter,
): Promise<void> {
  await client.query({
    name: 'insert-open-requests',
    text: INSERT_OPEN_REQUESTS,
    values: [...messageColumns(admitted, seal), instanceId],
  });
}
