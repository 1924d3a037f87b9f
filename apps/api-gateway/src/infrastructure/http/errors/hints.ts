import type { Refusal } from '@postern/contracts';

/** What to do about a refusal, as a sentence that follows its message. */
export const hintOf = ({ code, details }: Refusal, publicUrl: string): string | undefined => {
  if (code !== 'recipient_not_verified') return undefined;
  const serviceId = details['service_id'];
  const where = typeof serviceId === 'string' ? ` (${publicUrl}/dashboard/services/${serviceId}/recipients)` : '';
  return `Verify the address on the dashboard${where}, or verify a sending domain to send to anyone.`;
};

/** Where the email API is, for a path that looks like a guess at it. */
export const hintForPath = (path: string): string | undefined =>
  /\/(?:emails?|messages?|send|mail)(?:\/(?:send|email))?\/?$/.test(path)
    ? 'To send an email, use POST /emails.'
    : undefined;
