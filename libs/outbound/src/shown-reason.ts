/** The longest reason that is shown, in characters. */
const MAX_LENGTH = 300;

/** Why a receiver did not accept a request, as one line to show: without secrets and control characters, and bounded. */
export const shownReason = (reason: string, secrets: readonly string[] = []): string =>
  secrets
    .reduce((text, secret) => text.replaceAll(secret, '********'), reason)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .toWellFormed()
    .trim()
    .slice(0, MAX_LENGTH);
