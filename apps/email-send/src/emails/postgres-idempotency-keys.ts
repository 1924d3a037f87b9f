import type { Refusal } from '@postern/contracts';
import type { ClientBase } from 'pg';
import type { EmailRecord } from './email.js';
import { CLAIM_KEYS, FIND_KEYS, RELEASE_KEYS } from './emails.sql.js';
import { refusalOfRepeat } from './idempotency.js';
import type { AdmissionContext, AdmissionRequest } from './ports.js';

/** What a repeated request gets: the answer to the earlier request, or a refusal. */
export type EarlierAnswer = { readonly record: EmailRecord; readonly replayed: boolean } | Refusal;

type Keyed<T extends AdmissionContext> = T & { readonly idempotencyKey: string };

const isKeyed = <T extends AdmissionContext>(request: T): request is Keyed<T> => request.idempotencyKey !== undefined;
const nameOf = ({ serviceId, idempotencyKey }: Keyed<AdmissionContext>) => `${serviceId} ${idempotencyKey}`;
const inProgress = ({ emailId, fingerprint, answerBy }: AdmissionContext) => ({
  emailId,
  fingerprint,
  isAnswered: false,
  answerBy,
});

/** The keys of a batch as columns, in locking order; undefined when two requests share a key. */
export function claimColumns(requests: readonly AdmissionRequest[]): unknown[] | undefined {
  const keyed = requests.filter(isKeyed);
  return new Set(keyed.map(nameOf)).size === keyed.length ? columnsOf(inOrder(keyed)) : undefined;
}

/**
 * Claims the keys of a batch. Returns the earlier answers of requests that did not get their key, because an earlier
 * request, perhaps of the same batch, has claimed it.
 */
export async function claimKeys(
  client: ClientBase,
  requests: readonly AdmissionRequest[],
): Promise<ReadonlyMap<AdmissionRequest, EarlierAnswer>> {
  const earlier = new Map<AdmissionRequest, EarlierAnswer>();
  const first = new Map<string, Keyed<AdmissionRequest>>();
  for (const request of requests.filter(isKeyed)) {
    const winner = first.get(nameOf(request));
    if (!winner) first.set(nameOf(request), request);
    else earlier.set(request, refusalOfRepeat(inProgress(winner), request.fingerprint, request.at)!);
  }
  if (first.size === 0) return earlier;

  const claims = inOrder([...first.values()]);
  const { rows } = await client.query<{ email_id: string }>({
    name: 'claim-idempotency-keys',
    text: CLAIM_KEYS,
    values: columnsOf(claims),
  });
  const won = new Set(rows.map(({ email_id }) => email_id));
  const lost = claims.filter(({ facts }) => !won.has(facts.email_id));
  const known = await findKeys(client, lost);
  // A key that is free again was claimed a moment ago, when this claim failed.
  for (const request of lost)
    earlier.set(request, known.get(request) ?? refusalOfRepeat(inProgress(request), request.fingerprint, new Date(0))!);
  return earlier;
}

/** All batches claim in the same order, so that two of them never deadlock. */
const inOrder = <T extends AdmissionContext>(requests: readonly Keyed<T>[]): Keyed<T>[] =>
  requests.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

const columnsOf = (claims: readonly Keyed<AdmissionRequest>[]): unknown[] => [
  claims.map(({ serviceId }) => serviceId),
  claims.map(({ idempotencyKey }) => idempotencyKey),
  claims.map(({ fingerprint }) => fingerprint),
  claims.map(({ facts }) => facts.email_id),
  claims.map(({ at }) => at),
];

interface ClaimRow {
  readonly service_id: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly email_id: string;
  readonly answer_by: Date | null;
  readonly record: string | null;
}

/** The earlier answers of requests whose keys are claimed; requests with a free key are absent. */
export async function findKeys<T extends AdmissionContext>(
  client: Pick<ClientBase, 'query'>,
  requests: readonly T[],
): Promise<ReadonlyMap<T, EarlierAnswer>> {
  const keyed = requests.filter(isKeyed);
  if (keyed.length === 0) return new Map();
  const { rows } = await client.query<ClaimRow>({
    name: 'recall-idempotency-keys',
    text: FIND_KEYS,
    values: [keyed.map(({ serviceId }) => serviceId), keyed.map(({ idempotencyKey }) => idempotencyKey)],
  });
  const known = new Map(rows.map(row => [`${row.service_id} ${row.key}`, row]));
  return new Map(
    keyed.flatMap(request => {
      const row = known.get(nameOf(request));
      return row ? [[request, earlierAnswer(row, request)]] : [];
    }),
  );
}

function earlierAnswer(
  { email_id, fingerprint, answer_by, record }: ClaimRow,
  request: AdmissionContext,
): EarlierAnswer {
  const earlier = {
    emailId: email_id,
    fingerprint,
    isAnswered: record !== null,
    answerBy: answer_by,
  };
  return (
    refusalOfRepeat(earlier, request.fingerprint, request.at) ?? {
      record: JSON.parse(record as string) as EmailRecord,
      replayed: true,
    }
  );
}

/** Releases the keys of refused requests, and of messages that were not handed over. */
export async function releaseKeys(
  client: ClientBase,
  claims: readonly { readonly serviceId: string; readonly key: string; readonly emailId: string }[],
): Promise<void> {
  if (claims.length === 0) return;
  await client.query({
    name: 'release-idempotency-keys',
    text: RELEASE_KEYS,
    values: [
      claims.map(({ serviceId }) => serviceId),
      claims.map(({ key }) => key),
      claims.map(({ emailId }) => emailId),
    ],
  });
}
