import type { Refusal } from '@postern/contracts';
import type { ClientBase } from 'pg';
import type { EmailRecord } from '../../domain/email-record.js';
import { IDEMPOTENCY_HOURS, refusalOfRepeat } from '../../domain/idempotency.js';
import type { AdmissionRequest, Asking } from '../../ports.js';

/** What a request under a key meets: the first answer, or a refusal. */
export type Met = EmailRecord | Refusal;

type Keyed<T extends Asking> = T & { readonly idempotency: NonNullable<Asking['idempotency']> };

const isKeyed = <T extends Asking>(request: T): request is Keyed<T> => request.idempotency !== undefined;
const hashOf = ({ idempotency }: Keyed<Asking>) => idempotency.bodyHash;
const underWay = (earlier: Keyed<Asking>) => ({ bodyHash: hashOf(earlier), isAnswered: false });
const nameOf = ({ serviceId, idempotency }: Keyed<Asking>) => `${serviceId} ${idempotency.key}`;

/** The keys of a batch as columns, in the order in which everybody claims; undefined where two requests share one. */
export function claimColumns(requests: readonly AdmissionRequest[]): unknown[] | undefined {
  const keyed = requests.filter(isKeyed);
  return new Set(keyed.map(nameOf)).size === keyed.length ? columnsOf(inOrder(keyed)) : undefined;
}

/** Claims what `claimColumns` hold, as five parameters from `first` on; returns the ids of those that got their key. */
export const claimSql = (first: number): string => {
  const [services, keys, hashes, emails, times] = [0, 1, 2, 3, 4].map(offset => `$${first + offset}`);
  return `INSERT INTO idempotency_keys AS known (service_id, key, body_hash, email_id, claimed_at)
           SELECT * FROM unnest(${services}::uuid[], ${keys}::text[], ${hashes}::text[], ${emails}::uuid[], ${times}::timestamptz[])
           ON CONFLICT (service_id, key) DO UPDATE
             SET body_hash = excluded.body_hash, email_id = excluded.email_id, claimed_at = excluded.claimed_at
             WHERE known.claimed_at < excluded.claimed_at - make_interval(hours => ${IDEMPOTENCY_HOURS})
           RETURNING email_id`;
};

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
    else met.set(request, refusalOfRepeat(underWay(winner), hashOf(request))!);
  }
  if (first.size === 0) return met;

  const claims = inOrder([...first.values()]);
  const { rows } = await client.query<{ email_id: string }>({
    name: 'claim-idempotency-keys',
    text: claimSql(1),
    values: columnsOf(claims),
  });
  const won = new Set(rows.map(({ email_id }) => email_id));
  const lost = claims.filter(({ facts }) => !won.has(facts.email_id));
  const known = await recallKeys(client, lost);
  // A key that is free by now was in flight a moment ago, when the claim was refused.
  for (const request of lost)
    met.set(request, known.get(request) ?? refusalOfRepeat(underWay(request), hashOf(request))!);
  return met;
}

/** Everybody claims in the same order, so that two batches never wait for each other. */
const inOrder = <T extends Asking>(requests: readonly Keyed<T>[]): Keyed<T>[] =>
  requests.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

const columnsOf = (claims: readonly Keyed<AdmissionRequest>[]): unknown[] => [
  claims.map(({ serviceId }) => serviceId),
  claims.map(({ idempotency }) => idempotency.key),
  claims.map(({ idempotency }) => idempotency.bodyHash),
  claims.map(({ facts }) => facts.email_id),
  claims.map(({ at }) => at),
];

/** What requests under keys that were claimed before meet; a key that is free has no entry. */
export async function recallKeys<T extends Asking>(
  client: Pick<ClientBase, 'query'>,
  requests: readonly T[],
): Promise<ReadonlyMap<T, Met>> {
  const keyed = requests.filter(isKeyed);
  if (keyed.length === 0) return new Map();
  const { rows } = await client.query<{ service_id: string; key: string; body_hash: string; record: string | null }>({
    name: 'recall-idempotency-keys',
    text: `SELECT known.service_id, known.key, known.body_hash, emails.record
           FROM unnest($1::uuid[], $2::text[]) AS asked (service_id, key)
           JOIN idempotency_keys AS known USING (service_id, key)
           LEFT JOIN emails ON emails.id = known.email_id
           WHERE known.claimed_at > now() - make_interval(hours => ${IDEMPOTENCY_HOURS})`,
    values: [keyed.map(({ serviceId }) => serviceId), keyed.map(({ idempotency }) => idempotency.key)],
  });
  const known = new Map(rows.map(row => [`${row.service_id} ${row.key}`, row]));
  return new Map(
    keyed.flatMap(request => {
      const row = known.get(nameOf(request));
      if (!row) return [];
      const refusal = refusalOfRepeat({ bodyHash: row.body_hash, isAnswered: row.record !== null }, hashOf(request));
      return [[request, refusal ?? (JSON.parse(row.record!) as EmailRecord)]];
    }),
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
