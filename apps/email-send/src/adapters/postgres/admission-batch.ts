import { Refusal } from '@postern/contracts';
import { lockStreams, type PostgresEventStore } from '@postern/event-sourcing/postgres';
import type { ClientBase } from 'pg';
import { emailStream } from '../../domain/email.js';
import { oneMore, refusalOfOneMore, standing } from '../../domain/email-limits.js';
import type { Admission, AdmissionRequest, Asking, Repeated } from '../../ports.js';
import { claimKeys, type Met, recallKeys, releaseKeys } from './idempotency-claims.js';
import { recallFingerprints, recallMessages } from './repeated-requests.js';
import { readUsage, UsageCounters } from './usage-counters.js';

/**
 * The slow path: judges a batch request by request within the caller's transaction. Repeated requests are found and
 * keys claimed first, so that a repetition counts nothing; then the limits are held against counters that stay locked
 * until the transaction ends. What is refused leaves nothing behind. Answers in the order of the requests.
 */
export async function judgeAdmissions(
  client: ClientBase,
  store: PostgresEventStore,
  requests: readonly AdmissionRequest[],
): Promise<(Admission | Refusal)[]> {
  await lockStreams(
    client,
    requests.map(({ emailId }) => emailStream(emailId)),
  );
  const met = new Map<AdmissionRequest, Met>(await recallMessages(client, store, requests));
  const add = (more: ReadonlyMap<AdmissionRequest, Met>) => {
    for (const [request, found] of more) met.set(request, found);
  };
  add(
    await recallFingerprints(
      client,
      requests.filter(request => !met.has(request)),
    ),
  );
  add(
    await claimKeys(
      client,
      requests.filter(request => !met.has(request)),
    ),
  );
  const judged = await judgeLimits(
    client,
    requests.filter(request => !met.has(request)),
  );
  for (const [request, found] of met) judged.set(request, await repeatedAnswer(client, request, found));
  return requests.map(request => judged.get(request)!);
}

async function judgeLimits(
  client: ClientBase,
  requests: readonly AdmissionRequest[],
): Promise<Map<AdmissionRequest, Admission | Refusal>> {
  const usage = await UsageCounters.take(
    client,
    requests.map(request => ({ ...request, counts: request.facts.counts })),
  );
  const refused: AdmissionRequest[] = [];
  const judged = new Map<AdmissionRequest, Admission | Refusal>();
  for (const request of requests) {
    const { counts } = request.facts;
    const before = usage.of(request);
    const refusal = refusalOfOneMore(before, counts, request.at);
    if (refusal) {
      refused.push(request);
      judged.set(request, refusal);
    } else {
      const after = oneMore(before, counts);
      usage.set(request, after);
      judged.set(request, { kind: 'admitted', rateLimit: standing(after, request.at) });
    }
  }
  await usage.settle(client);
  await releaseKeys(client, refused.flatMap(claimOf));
  return judged;
}

/** What a request repeats, without admitting it: its own message, a key claimed before, a body answered as unknown. */
export async function findRepeated(store: PostgresEventStore, request: Asking): Promise<Met | undefined> {
  const { pool } = store;
  for (const recalled of [
    await recallMessages(pool, store, [request]),
    await recallKeys(pool, [request]),
    await recallFingerprints(pool, [request]),
  ]) {
    const met = recalled.get(request);
    if (met) return met;
  }
  return undefined;
}

/** What a request gets that repeats another one. */
export async function repeatedAnswer(
  client: Pick<ClientBase, 'query'>,
  request: Asking,
  found: Met,
): Promise<Repeated | Refusal> {
  if (found instanceof Refusal) return found;
  return { kind: 'repeated', ...found, rateLimit: standing(await readUsage(client, request), request.at) };
}

function claimOf({ serviceId, idempotencyKey, facts }: AdmissionRequest) {
  return idempotencyKey === undefined ? [] : [{ serviceId, key: idempotencyKey, emailId: facts.email_id }];
}
