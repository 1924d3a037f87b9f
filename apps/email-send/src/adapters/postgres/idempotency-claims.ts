import type { Refusal } from '@postern/contracts';
import type { ClientBase } from 'pg';
import type { EmailRecord } from '../../domain/email-record.js';
import { IDEMPOTENCY_HOURS, refusalOfRepeat } from '../../domain/idempotency.js';
import type { AdmissionRequest, Asking } from '../../ports.js';

/** What a repeated request meets: the earlier answer, or a refusal. */
export type Met = { readonly record: EmailRecord; readonly replayed: boolean } | Refusal;

type Keyed<T extends Asking> = T & { readonly idempotencyKey: string };

const isKeyed = <T extends Asking>(request: T): request is Keyed<T> => request.idempotencyKey !== undefined;
const nameOf = ({ serviceId, idempotencyKey }: Keyed<Asking>) => `${serviceId} ${idempotencyKey}`;
const underWay = ({ emailId, identity, answerBy }: Asking) => ({ emailId, ...identity, isAnswered: false, answerBy });

/** The keys of a batch as columns, in the order in which everybody claims; undefined where two requests share one. */
export function claimColumns(requests: readonly AdmissionRequest[]): unknown[] | undefined {
  const keyed = requests.filter(isKeyed);
  return new Set(keyed.map(nameOf)).size === keyed.length ? columnsOf(inOrder(keyed)) : undefined;
}

/**
 * Claims the keys of a batch. Answers what those requests met that did not get theirs: it was claimed before, or by
 * an earlier request of the same batch.
 */
export async function claimKeys(
  client: ClientBase,
  requests: readonly AdmissionRequest[],
): Promise<ReadonlyMap<AdmissionRequest, Met>> {
  const met = new Map<AdmissionRequest, Met>();
  const first = new Map<string, Keyed<AdmissionRequest>>();
  for (const request of requests.filter(isKeyed)) {
    const winner = first.get(nameOf(request));
    if (!winner) first.set(nameOf(request), request);
    else met.set(request, refusalOfRepeat(underWay(winner), request.identity, request.at)!);
  }
  if (first.size === 0) return met;

  const claims = inOrder([...first.values()]);
  const { rows } = await client.query<{ email_id: string }>({
    name: 'claim-idempotency-keys',
    text: `INSERT INTO idempotency_keys AS known (service_id, key, body_hash, fingerprint, email_id, claimed_at)
           SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::uuid[], $6::timestamptz[])
           ON CONFLICT (service_id, key) DO UPDATE
             SET body_hash = excluded.body_hash, fingerprint = excluded.fingerprint, email_id = excluded.email_id,
                 claimed_at = excluded.claimed_at
             WHERE known.claimed_at < excluded.claimed_at - make_interval(hours => ${IDEMPOTENCY_HOURS})
           RETURNING email_id`,
    values: columnsOf(claims),
  });
  const won = new Set(rows.map(({ email_id }) => email_id));
  const lost = claims.filter(({ facts }) => !won.has(facts.email_id));
  const known = await recallKeys(client, lost);
  // A key that is free by now was in flight a moment ago, when the claim was refused.
  for (const request of lost)
    met.set(request, known.get(request) ?? refusalOfRepeat(underWay(request), request.identity, new Date(0))!);
  return met;
}

/** Everybody claims in the same order, so that two batches never wait for each other. */
const inOrder = <T extends Asking>(requests: readonly Keyed<T>[]): Keyed<T>[] =>
  requests.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

const columnsOf = (claims: readonly Keyed<AdmissionRequest>[]): unknown[] => [
  claims.map(({ serviceId }) => serviceId),
  claims.map(({ idempotencyKey }) => idempotencyKey),
  claims.map(({ identity }) => identity.bodyHash),
  claims.map(({ identity }) => identity.fingerprint),
  claims.map(({ facts }) => facts.email_id),
  claims.map(({ at }) => at),
];

interface ClaimRow {
  readonly service_id: string;
  readonly key: string;
  readonly body_hash: string;
  readonly fingerprint: string | null;
  readonly email_id: string;
  readonly answer_by: Date | null;
  readonly record: string | null;
}

/** What requests under keys that were claimed before meet; a key that is free has no entry. */
export async function recallKeys<T extends Asking>(
  client: Pick<ClientBase, 'query'>,
  requests: readonly T[],
): Promise<ReadonlyMap<T, Met>> {
  const keyed = requests.filter(isKeyed);
  if (keyed.length === 0) return new Map();
  const { rows } = await client.query<ClaimRow>({
    name: 'recall-idempotency-keys',
    text: `SELECT known.service_id, known.key, known.body_hash, known.fingerprint, known.email_id,
                  open_requests.answer_by, emails.record
           FROM unnest($1::uuid[], $2::text[]) AS asked (service_id, key)
           JOIN idempotency_keys AS known USING (service_id, key)
           LEFT JOIN emails ON emails.id = known.email_id
           LEFT JOIN open_requests ON open_requests.email_id = known.email_id
           WHERE known.claimed_at > now() - make_interval(hours => ${IDEMPOTENCY_HOURS})`,
    values: [keyed.map(({ serviceId }) => serviceId), keyed.map(({ idempotencyKey }) => idempotencyKey)],
  });
  const known = new Map(rows.map(row => [`${row.service_id} ${row.key}`, row]));
  return new Map(
    keyed.flatMap(request => {
      const row = known.get(nameOf(request));
      return row ? [[request, metBy(row, request)]] : [];
    }),
  );
}

function metBy({ email_id, body_hash, fingerprint, answer_by, record }: ClaimRow, { identity, at }: Asking): Met {
  const earlier = {
    emailId: email_id,
    bodyHash: body_hash,
    fingerprint,
    isAnswered: record !== null,
    answerBy: answer_by,
  };
  return (
    refusalOfRepeat(earlier, identity, at) ?? { record: JSON.parse(record as string) as EmailRecord, replayed: true }
  );
}

/** Gives keys back whose requests were refused, or whose messages were not handed over. */
export async function releaseKeys(
  client: ClientBase,
  claims: readonly { readonly serviceId: string; readonly key: string; readonly emailId: string }[],
): Promise<void> {
  if (claims.length === 0) return;
  await client.query({
    name: 'release-idempotency-keys',
    text: `DELETE FROM idempotency_keys AS known
           USING unnest($1::uuid[], $2::text[], $3::uuid[]) AS released (service_id, key, email_id)
           WHERE (known.service_id, known.key, known.email_id) = (released.service_id, released.key, released.email_id)`,
    values: [
      claims.map(({ serviceId }) => serviceId),
      claims.map(({ key }) => key),
      claims.map(({ emailId }) => emailId),
    ],
  });
}
