/** Where browsers look for the declaration (HTML standard, prescan). */
const PRESCAN_BYTES = 1_024;
const META_CHARSET = /(<meta\b[^>]{0,300}?\bcharset\s*=\s*["']?\s*)([\w.:-]{1,40})/gi;

/** The charset that an HTML document declares in a `<meta>` element. */
export const htmlCharset = (bytes: Buffer): string | undefined =>
  [...bytes.subarray(0, PRESCAN_BYTES).toString('latin1').matchAll(META_CHARSET)][0]?.[2];

/** The HTML with its declarations of a charset changed to UTF-8, in which it is sent. */
export const withHtmlCharset = (html: string): string =>
  html.slice(0, 4 * PRESCAN_BYTES).replace(META_CHARSET, '$1utf-8') + html.slice(4 * PRESCAN_BYTES);
