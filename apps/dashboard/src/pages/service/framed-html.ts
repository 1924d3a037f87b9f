/** Stricter than the policy of the dashboard, which a framed document inherits as well. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'";

/** The document of a sandboxed frame that shows the HTML of a message. Its policy precedes the content of the message. */
export const framedHtml = (html: string): string =>
  `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}">${html}`;
