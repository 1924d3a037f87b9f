/** Stricter than the policy of the dashboard, which a framed document inherits as well. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'";

/** The document of a sandboxed frame that shows the HTML of a message. Its policy precedes the content of the message. */
export const framedHtml = (html: string): string =>
  `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}">${html}`;

/** Whether the HTML of a message shows images of other servers over HTTPS. */
export const hasRemoteImages = (html: string): boolean =>
  /(?:\bsrc(?:set)?|\bbackground)\s*=\s*["']?\s*https:|url\(\s*["']?\s*https:/i.test(html);
