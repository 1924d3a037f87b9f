/**
 * The platform API says `{detail}`, an object where programs are meant to act on it; the email API, the dashboard API
 * and everything else say `{error}`.
 */
export const errorShape = (
  url: string,
  message: string,
  detail: object | string = message,
): { error: string } | { detail: object | string } => (isPlatformPath(url) ? { detail } : { error: message });

const isPlatformPath = (url: string): boolean => /^\/api\/v1(?:[/?#]|$)/.test(url);
