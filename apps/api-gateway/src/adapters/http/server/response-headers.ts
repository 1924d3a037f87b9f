/** On every answer. Pages that load scripts or styles replace the policy; the tracking pixel is meant for other sites. */
export const baseHeaders = (secure: boolean): Readonly<Record<string, string>> => ({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  ...(secure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
});

/** For our own pages. Inline styles are needed by the component libraries; scripts come from files only. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
