import { createHmac } from 'node:crypto';
import type { DatabaseUser } from '@postern/runtime';

/** Each attachment has a user of the database, which ends with it. */
export const attachmentUser = (attachmentId: string): string => `attached_${attachmentId.replaceAll('-', '')}`;

/** The password follows from the owner's, so that a rotation replaces both; the owner's cannot be found from it. */
export const attachmentAccess = (attachmentId: string, ownerPassword: string): DatabaseUser => ({
  username: attachmentUser(attachmentId),
  password: createHmac('sha256', ownerPassword).update(`attachment ${attachmentId}`).digest('base64url'),
});
