import type { Refusal } from '@postern/contracts';

/** The remedy for a refusal, as a sentence that follows its message. */
export const hintOf = ({ code, details }: Refusal, publicUrl: string): string | undefined => {
  if (code !== 'recipient_not_verified') return undefined;
  const serviceId = details['service_id'];
  const where = typeof serviceId === 'string' ? ` (${publicUrl}/dashboard/services/${serviceId}/recipients)` : '';
  return `Verify the address in the dashboard${where}, or verify a sending domain to send to anyone.`;
};

/** The URL of the email API, for a path that resembles it. */
export const hintForPath = (path: string): string | undefined =>
  /\/(?:emails?|messages?|send|mail)(?:\/(?:send|email))?\/?$/.test(path)
    ? 'To send an email, use POST /emails.'
    : undefined;
