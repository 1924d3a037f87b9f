/** Serializes changes of the templates of one service, for their names and their number. */
export const LOCK_TEMPLATES = `SELECT pg_advisory_xact_lock(hashtextextended('templates-of-' || $1::text, 0))`;

/** The templates of a service, and those with a name besides the template `$3`. */
export const COUNT_TEMPLATES = `
  SELECT count(*)::int AS count, count(*) FILTER (WHERE name = $2 AND id <> $3)::int AS named
  FROM templates WHERE service_id = $1`;

export const INSERT_TEMPLATE = 'INSERT INTO templates (id, service_id, name, created_at) VALUES ($1, $2, $3, now())';

export const INSERT_VERSION = `
  INSERT INTO template_versions (template_id, version, subject, html, text, variables, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, now())`;

export const RENAME_TEMPLATE = 'UPDATE templates SET name = $2 WHERE id = $1';

/** Its versions are deleted with it. */
export const DELETE_TEMPLATE = 'DELETE FROM templates WHERE id = $1 AND service_id = $2';

const LATEST = `JOIN LATERAL (
    SELECT * FROM template_versions WHERE template_id = template.id ORDER BY version DESC LIMIT 1
  ) AS latest ON true`;
const FIELDS = `template.id, template.name, template.created_at, latest.version, latest.subject, latest.html, latest.text,
  latest.variables, latest.created_at AS version_created_at`;

/** A template of a service by id or by name, with its latest version. */
export const FIND_TEMPLATE = `
  SELECT ${FIELDS} FROM templates AS template ${LATEST}
  WHERE service_id = $1 AND (template.id = $2::uuid OR template.name = $3::text)`;

/** The same with another version. */
export const FIND_VERSION = `
  SELECT ${FIELDS} FROM templates AS template
  JOIN template_versions AS latest ON latest.template_id = template.id AND latest.version = $4
  WHERE service_id = $1 AND (template.id = $2::uuid OR template.name = $3::text)`;

/** Reads a template for a change. */
export const LOCK_TEMPLATE = `
  SELECT ${FIELDS} FROM templates AS template ${LATEST} WHERE template.id = $1 AND service_id = $2 FOR UPDATE OF template`;

export const LIST_TEMPLATES = `
  SELECT template.id, template.name, template.created_at, latest.version, latest.variables,
    latest.created_at AS version_created_at
  FROM templates AS template ${LATEST} WHERE service_id = $1 ORDER BY template.name, template.id`;

export const LIST_VERSIONS = `
  SELECT version, subject, variables, created_at AS version_created_at FROM template_versions
  WHERE template_id = $1 ORDER BY version DESC`;
