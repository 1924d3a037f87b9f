import { COUNTED_ITEMS, EXAMINED_ITEMS } from '@postern/contracts';

const COLUMNS =
  'id, actor_type, actor_id, action, resource_type, resource_id, workspace_id, client_network, user_agent, outcome, code, request_id';

/** A repeated first record, which has neither outcome nor code, has no effect. */
export const RECORD_AUDIT_ENTRY = `
  INSERT INTO audit_entries AS known (${COLUMNS}, times)
  VALUES ($1::uuid, $2::text, $3::text, $4::text, $5::text, $6::text, $7::uuid, $8::text, $9::text, $10::text, $11::text, $12::text, $13::integer)
  ON CONFLICT (id) DO UPDATE SET outcome = excluded.outcome, code = excluded.code,
    resource_type = excluded.resource_type, resource_id = excluded.resource_id
  WHERE known.outcome = 'attempted' AND (excluded.outcome <> 'attempted' OR excluded.code IS NOT NULL)`;

/** Serializes the merging of similar entries; two concurrent merges would merge into each other and lose one count. */
export const LOCK_REPEATED_REFUSALS = `SELECT pg_advisory_xact_lock(hashtextextended('audit log ' || $1, 0))`;

/** Refusals of unknown actors are grouped by network, because an attacker tries many addresses or keys. */
export const MERGE_REPEATED_REFUSAL = `
  WITH entry AS (SELECT * FROM audit_entries WHERE id = $1 AND outcome = 'refused'),
  alike AS (
    SELECT e.id, e.at FROM audit_entries e JOIN entry ON e.client_network IS NOT DISTINCT FROM entry.client_network
    WHERE e.at > now() - interval '1 hour' AND e.id <> entry.id AND e.outcome = 'refused' AND e.action = entry.action
      AND e.code = entry.code AND e.actor_type = entry.actor_type
      AND (e.actor_type = 'unknown' OR e.actor_id = entry.actor_id)
    ORDER BY e.at DESC, e.id DESC LIMIT $2),
  counted AS (
    UPDATE audit_entries SET times = times + (SELECT times FROM entry)
    WHERE id = (SELECT id FROM alike WHERE (SELECT count(*) FROM alike) = $2 ORDER BY at DESC, id DESC LIMIT 1)
    RETURNING 1)
  DELETE FROM audit_entries WHERE id = $1 AND EXISTS (SELECT FROM counted)`;

const IN_SCOPE = `($1::uuid IS NULL OR workspace_id = $1)
    AND at >= coalesce($2::timestamptz, '-infinity') AND at < coalesce($3::timestamptz, 'infinity')`;

const MATCHES = `($4::text IS NULL OR actor_id = $4 OR actor_type = $4)
    AND ($5::text IS NULL OR action = $5 OR resource_type = $5 OR split_part(action, '.', 1) = $5)`;

/** Which entries are listed, in which order. */
export interface AuditList {
  /** Whether entries are chosen by actor or action, which no index answers. */
  readonly filtered: boolean;
  /** The side of the entry at `$6` with the id `$7` on which the page lies. */
  readonly cursor: 'after' | 'before' | undefined;
  readonly limit: number;
  readonly offset: number;
}

const orderOf = ({ cursor }: AuditList): string => {
  const direction = cursor === 'before' ? 'ASC' : 'DESC';
  return `ORDER BY at ${direction}, id ${direction}`;
};

const within = ({ cursor }: AuditList): string =>
  cursor === undefined
    ? IN_SCOPE
    : `${IN_SCOPE} AND (at, id) ${cursor === 'after' ? '<' : '>'} ($6::timestamptz, $7::uuid)`;

export const AUDIT_PAGE = (list: AuditList): string => {
  const { filtered, limit, offset } = list;
  return `
  SELECT * FROM (
    SELECT at, times, ${COLUMNS} FROM audit_entries WHERE ${within(list)} ${orderOf(list)}
    LIMIT ${filtered ? EXAMINED_ITEMS : limit + offset}) AS examined
  ${filtered ? `WHERE ${MATCHES}` : ''} ${orderOf(list)} LIMIT ${limit} OFFSET ${offset}`;
};

/** A row if a page does not examine all entries. */
export const MORE_AUDIT_ENTRIES = (list: AuditList): string =>
  `SELECT 1 FROM audit_entries WHERE ${within(list)} ${orderOf(list)} LIMIT 1 OFFSET ${EXAMINED_ITEMS}`;

/** Counts the entries among those that are examined, up to one more than is shown. */
export const COUNT_AUDIT_ENTRIES = ({ filtered }: AuditList): string => `
  SELECT count(*) FILTER (WHERE ${filtered ? MATCHES : 'true'})::int AS count, count(*)::int AS examined FROM (
    SELECT actor_id, actor_type, action, resource_type FROM audit_entries WHERE ${IN_SCOPE}
    ORDER BY at DESC, id DESC LIMIT ${filtered ? EXAMINED_ITEMS + 1 : COUNTED_ITEMS + 1}) AS counted`;

/** The time of the entry `$2` in the workspace `$1`, or in any. */
export const PLACE_OF_AUDIT_ENTRY = `
  SELECT at::text AS at FROM audit_entries WHERE ($1::uuid IS NULL OR workspace_id = $1) AND id = $2`;

export const AUDIT_ENTRIES_AFTER = `
  SELECT at, times, ${COLUMNS} FROM audit_entries
  WHERE ${IN_SCOPE} AND ${MATCHES} AND ($6::timestamptz IS NULL OR (at, id) < ($6, $7::uuid))
  ORDER BY at DESC, id DESC LIMIT $8`;

const example: AuditList = { filtered: true, cursor: 'after', limit: 20, offset: 0 };

export const examples = {
  AUDIT_PAGE: AUDIT_PAGE(example),
  MORE_AUDIT_ENTRIES: MORE_AUDIT_ENTRIES({ ...example, cursor: 'before' })
    .replaceAll('$6', '$4')
    .replaceAll('$7', '$5'),
  COUNT_AUDIT_ENTRIES: COUNT_AUDIT_ENTRIES(example),
};

/** A row of the audit log. */
export interface AuditRow {
  readonly id: string;
  readonly at: Date;
  readonly actor_type: string;
  readonly actor_id: string | null;
  readonly action: string;
  readonly resource_type: string;
  readonly resource_id: string | null;
  readonly workspace_id: string | null;
  readonly client_network: string | null;
  readonly user_agent: string | null;
  readonly outcome: string;
  readonly code: string | null;
  readonly request_id: string;
  readonly times: number;
}
