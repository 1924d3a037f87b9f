/** The first that matches decides: a browser also names those that it descends from. */
const BROWSERS: readonly (readonly [marker: RegExp, family: string])[] = [
  [/\bEdgA?(?:iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const PRODUCT = /^[A-Za-z][A-Za-z0-9._-]{0,31}(?=\/|$)/;

/** The family of a program without version and system, such as `Firefox` or `curl`. Null if it is not recognised. */
export const userAgentFamilyOf = (userAgent: string | undefined): string | null => {
  if (!userAgent) return null;
  if (!userAgent.startsWith('Mozilla/')) return PRODUCT.exec(userAgent)?.[0] ?? null;
  return BROWSERS.find(([marker]) => marker.test(userAgent))?.[1] ?? null;
};
