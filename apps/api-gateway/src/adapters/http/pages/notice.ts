/** A small page that says one thing. Both texts are ours, never a visitor's. */
export const notice = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>${title}</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:18vh auto;padding:0 1rem;` +
  `color-scheme:light dark}code{font-size:.95em}</style><h1>${title}</h1><p>${text}</p></html>`;
