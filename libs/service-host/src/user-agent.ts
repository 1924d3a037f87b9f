/** Ordered, because a browser also names the browsers that it is compatible with. */
const BROWSERS: readonly (readonly [name: string, token: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
];
const SYSTEMS: readonly (readonly [name: string, token: RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];
/** The first product token of a user agent (RFC 9110 §10.1.5); an address or other text does not match. */
const PRODUCT = /^[A-Za-z][A-Za-z0-9._-]{0,31}(?=[\s/]|$)/;

/**
 * The family of a user agent without version and system, such as `Firefox` or `curl`; undefined if it is not
 * recognized.
 */
export const userAgentFamilyOf = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined;
  return header.startsWith('Mozilla/') ? nameOf(BROWSERS, header) : PRODUCT.exec(header)?.[0];
};

/** The family, with the system of a browser, such as `Firefox on Linux`; undefined if the family is not recognized. */
export const shortUserAgent = (header: string | undefined): string | undefined => {
  const family = userAgentFamilyOf(header);
  const system = header?.startsWith('Mozilla/') ? nameOf(SYSTEMS, header) : undefined;
  return family && system ? `${family} on ${system}` : family;
};

const nameOf = (names: typeof BROWSERS, header: string): string | undefined =>
  names.find(([, token]) => token.test(header))?.[0];
