import { findCaller, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Database } from '@postern/service-host';
import { canonicalAddress } from '../users/email-address.js';
import { FIND_CALLER } from './find-caller.sql.js';

/** Tells a gateway of several cells whether a caller belongs to this one. */
@Handles(findCaller)
export class FindCaller {
  constructor(private readonly database: Database) {}

  async execute({ kind, value }: RequestOf<typeof findCaller>): Promise<ReplyOf<typeof findCaller>> {
    const stored = kind === 'email' ? canonicalAddress(value) : value;
    if (stored === undefined) return { found: false };
    const query = { name: 'find-caller', text: FIND_CALLER, values: [kind, stored] };
    const { rows } = await this.database.reads.query<{ readonly email: string | null }>(query);
    const [row] = rows;
    if (!row) return { found: false };
    return kind === 'invitation' && row.email !== null ? { found: true, email: row.email } : { found: true };
  }
}
