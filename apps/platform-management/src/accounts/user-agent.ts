/** In this order, because a browser also names those that it is compatible with. */
const BROWSERS: readonly (readonly [name: string, token: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS)\//],
  ['Safari', /\bVersion\/.*\bSafari\//],
];
const SYSTEMS: readonly (readonly [name: string, token: RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];
const PROGRAM = /^[A-Za-z][\w.-]{0,39}/;

/** A short form of a User-Agent header, such as `Firefox on Linux` or `curl`; undefined if it says nothing. */
export const shortUserAgent = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined;
  const browser = nameOf(BROWSERS, header);
  const system = nameOf(SYSTEMS, header);
  if (browser) return system ? `${browser} on ${system}` : browser;
  return PROGRAM.exec(header)?.[0];
};

const nameOf = (names: typeof BROWSERS, header: string): string | undefined =>
  names.find(([, token]) => token.test(header))?.[0];
