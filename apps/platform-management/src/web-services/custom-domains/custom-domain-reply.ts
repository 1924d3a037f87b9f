import { type CustomDomain, Refusal } from '@postern/contracts';
import type { DomainRow } from './custom-domains.js';
import { txtRecordOf } from './domain-proof.js';

/** Maps a custom domain to the reply of the contracts; `target` is the expected target of its CNAME record. */
export const customDomainReply = (row: DomainRow, target: string): CustomDomain => ({
  id: row.id,
  domain: row.domain,
  status: row.verifiedAt ? 'verified' : 'pending',
  target,
  txt: txtRecordOf(row),
  message: row.message,
  created_at: row.createdAt.toISOString(),
  verified_at: row.verifiedAt?.toISOString() ?? null,
  certificate: row.verifiedAt && row.certificateCheckedAt ? certificateOf(row, row.certificateCheckedAt) : null,
});

const certificateOf = ({ certificateUntil, certificateError }: DomainRow, checkedAt: Date) => ({
  valid_until: certificateUntil?.toISOString() ?? null,
  error: certificateError,
  checked_at: checkedAt.toISOString(),
});

export const customDomainNotFound = (): Refusal => new Refusal('domain_not_found', 'there is no such domain');
