/** The body of an error: `{detail}` in the platform API, an object if programs evaluate it; `{error}` elsewhere. */
export const errorShape = (
  url: string,
  message: string,
  detail: object | string = message,
): { error: string } | { detail: object | string } => (isPlatformPath(url) ? { detail } : { error: message });

const isPlatformPath = (url: string): boolean => /^\/api\/v1(?:[/?#]|$)/.test(url);
