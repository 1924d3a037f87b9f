import { Refusal } from '@postern/contracts';
import type { ClientBase } from 'pg';
import { oneMore, refusalOfOneMore, standing } from '../../domain/email-limits.js';
import type { Admission, AdmissionRequest, Asking, Repeated } from '../../ports.js';
import { claimKeys, type Met, releaseKeys } from './idempotency-claims.js';
import { readUsage, UsageCounters } from './usage-counters.js';

/**
 * Judges a batch of requests within the caller's transaction: keys are claimed first, so that a repetition counts
 * nothing, then the limits are held against counters that stay locked until the transaction ends. What is refused
 * leaves nothing behind. Answers in the order of the requests.
 */
export async function judgeAdmissions(
  client: ClientBase,
  requests: readonly AdmissionRequest[],
): Promise<(Admission | Refusal)[]> {
  const met = await claimKeys(client, requests);
  const asking = requests.filter(request => !met.has(request));
  const usage = await UsageCounters.take(
    client,
    asking.map(request => ({ ...request, counts: request.facts.counts })),
  );
  const refused: AdmissionRequest[] = [];
  const judged = new Map<AdmissionRequest, Admission | Refusal>();
  for (const request of asking) {
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
  for (const [request, found] of met) judged.set(request, await repeatedAnswer(client, request, found));
  return requests.map(request => judged.get(request)!);
}

/** What a request gets that came under a key known before. */
export async function repeatedAnswer(
  client: Pick<ClientBase, 'query'>,
  request: Asking,
  found: Met,
): Promise<Repeated | Refusal> {
  if (found instanceof Refusal) return found;
  return { kind: 'repeated', record: found, rateLimit: standing(await readUsage(client, request), request.at) };
}

function claimOf({ serviceId, idempotency, facts }: AdmissionRequest) {
  return idempotency ? [{ serviceId, key: idempotency.key, emailId: facts.email_id }] : [];
}
