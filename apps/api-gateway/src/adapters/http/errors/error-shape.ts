/** The platform API says `{detail}`; the email API, the dashboard API and everything else say `{error}`. */
export const errorShape = (url: string, message: string): { error: string } | { detail: string } =>
  isPlatformPath(url) ? { detail: message } : { error: message };

const isPlatformPath = (url: string): boolean => /^\/api\/v1(?:[/?#]|$)/.test(url);
