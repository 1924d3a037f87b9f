const DOMAIN = `d.id, d.web_service_id AS "webServiceId", d.domain, d.token, d.message, d.created_at AS "createdAt",
  d.verified_at AS "verifiedAt", d.certificate_until AS "certificateUntil", d.certificate_error AS "certificateError",
  d.certificate_checked_at AS "certificateCheckedAt"`;

/** Excludes domains of deleted web services, whose rows may still exist. */
const FROM = 'FROM custom_domains d JOIN web_service_standings s ON s.web_service_id = d.web_service_id';

export const COUNT_DOMAINS = 'SELECT count(*)::int AS count FROM custom_domains WHERE web_service_id = $1';

export const INSERT_DOMAIN = `
  INSERT INTO custom_domains (id, web_service_id, domain, token) VALUES ($1, $2, $3, $4)
  ON CONFLICT (web_service_id, domain) DO NOTHING RETURNING id`;

export const LIST_DOMAINS = `SELECT ${DOMAIN} ${FROM} WHERE d.web_service_id = $1 ORDER BY d.created_at, d.id`;

export const FIND_DOMAIN = `SELECT ${DOMAIN} ${FROM} WHERE d.web_service_id = $1 AND d.id = $2`;

export const FIND_HOLDER = `SELECT ${DOMAIN} ${FROM} WHERE d.verified_domain = $1`;

/** Resets the domain `$1` to unverified; its web service must verify it again. */
export const RELEASE_DOMAIN = `
  UPDATE custom_domains SET verified_domain = NULL, verified_at = NULL, message = 'another web service has verified it'
  WHERE id = $1`;

/** Resets domains of deleted web services with the same name, whose rows may still exist. */
export const RELEASE_LEFTOVER = `
  UPDATE custom_domains SET verified_domain = NULL, verified_at = NULL
  WHERE verified_domain = (SELECT domain FROM custom_domains WHERE id = $1)
    AND NOT EXISTS (SELECT FROM web_service_standings s WHERE s.web_service_id = custom_domains.web_service_id)`;

export const VERIFY_DOMAIN = `
  UPDATE custom_domains SET verified_domain = domain, verified_at = coalesce(verified_at, now()), message = $2,
    certificate_checked_at = NULL
  WHERE id = $1`;

export const LIST_ROUTES = `
  SELECT d.verified_domain AS domain, d.web_service_id AS "webServiceId" ${FROM}
  WHERE d.verified_domain IS NOT NULL ORDER BY 1`;

/** Verified domains whose certificate was not checked for an hour. */
export const CERTIFICATES_DUE = `
  SELECT d.id, d.domain ${FROM}
  WHERE d.verified_domain IS NOT NULL
    AND (d.certificate_checked_at IS NULL OR d.certificate_checked_at < now() - interval '1 hour')
  ORDER BY d.certificate_checked_at NULLS FIRST LIMIT 100`;

export const NOTE_CERTIFICATE = `
  UPDATE custom_domains SET certificate_from = $2, certificate_until = $3, certificate_error = $4, certificate_checked_at = now()
  WHERE id = $1`;
