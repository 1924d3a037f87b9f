import { valueStream } from './named-values.js';

/**
 * For a WITH: which values of the streams `$1` were said to be secret, or plain, by events that the read model does
 * not show yet. A value changes in the transaction of its event, so the read model alone would show in the clear what
 * has just become secret. Checkpoint and read model change together, and one statement sees both as of one moment.
 */
export const NEWER_SECRECY = `newer AS (
  SELECT DISTINCT ON (e.data->>'value_id')
    (e.data->>'value_id')::uuid AS id, (e.data->>'is_secret')::boolean AS is_secret
  FROM event_store.events e
  JOIN event_store.projections p ON p.name = 'resources' AND p.live AND (e.txid, e.pos) > (p.txid, p.pos)
  WHERE e.stream_id = ANY($1::text[]) ORDER BY e.data->>'value_id', e.version DESC
)`;

/** Whether a value is secret; for a query over `named_values v LEFT JOIN newer`. */
export const IS_SECRET = 'coalesce(newer.is_secret, v.is_secret)';

/** The streams of everything that a web service or a project has been given. */
export const streamsOf = (ownerId: string): string[] => [
  valueStream('variables', ownerId),
  valueStream('project_secrets', ownerId),
];
