/** An HTML page with one message. Both texts must be trusted; they are not escaped. */
export const messagePage = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>${title}</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:18vh auto;padding:0 1rem;` +
  `color-scheme:light dark}code{font-size:.95em}</style><h1>${title}</h1><p>${text}</p></html>`;
