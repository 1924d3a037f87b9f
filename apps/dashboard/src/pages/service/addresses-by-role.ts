import type { TrackedEmail } from '@postern/contracts';

type Recipient = TrackedEmail['recipients'][number];

const ROLES: readonly Recipient['role'][] = ['to', 'cc', 'bcc'];

/** The addresses of a message as in its header, without roles that nobody has. */
export const addressesByRole = (
  recipients: readonly Pick<Recipient, 'role' | 'address'>[],
): readonly (readonly [role: Recipient['role'], addresses: readonly string[]])[] =>
  ROLES.map(
    role => [role, recipients.filter(each => each.role === role).map(({ address }) => address)] as const,
  ).filter(([, addresses]) => addresses.length > 0);
