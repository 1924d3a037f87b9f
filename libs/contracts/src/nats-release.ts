/** The oldest release line of nats-server that works. */
export const OLDEST_NATS = '2.9';

/**
 * The first releases without the security holes published until June 2026 (advisories.nats.io, 2026-16 to 2026-26); raise them when
 * an advisory names later ones.
 */
export const PATCHED_NATS = ['2.12.12', '2.14.3'] as const;

const numbersOf = (version: string): readonly [number, number, number] => {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(part => Number.parseInt(part, 10) || 0);
  return [major, minor, patch];
};

const isAtLeast = (version: string, least: string): boolean => {
  const [given, wanted] = [numbersOf(version), numbersOf(least)];
  const different = given.findIndex((part, index) => part !== wanted[index]);
  return different === -1 || (given[different] as number) > (wanted[different] as number);
};

/** Whether a release of nats-server works with Postern. */
export const isSupportedNats = (version: string): boolean => isAtLeast(version, OLDEST_NATS);

/** Whether a release has the published security fixes; lines before the last patched one have their own first release. */
export const isPatchedNats = (version: string): boolean => {
  const [last, ...older] = [...PATCHED_NATS].reverse();
  if (last !== undefined && isAtLeast(version, last)) return true;
  const [major, minor] = numbersOf(version);
  return older.some(least => {
    const [leastMajor, leastMinor] = numbersOf(least);
    return major === leastMajor && minor === leastMinor && isAtLeast(version, least);
  });
};

/** What to do about a release that is not patched. */
export const UNPATCHED_NATS_ADVICE = `Upgrade nats-server to ${PATCHED_NATS.join(' or ')}, or later: older releases have published security holes (https://advisories.nats.io).`;
