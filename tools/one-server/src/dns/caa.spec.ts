import type { CaaRecord } from 'node:dns';
import type { Resolver } from 'node:dns/promises';
import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '../configuration/read-configuration.js';
import { EXAMPLE, SETTINGS } from '../testing/example.js';
import { caaFindings } from './caa.js';

/** Answers CAA queries from a zone; NXDOMAIN for other names. */
const resolver = (zone: Readonly<Record<string, readonly object[]>>) =>
  ({
    resolveCaa: async (name: string) => {
      const found = zone[name];
      if (found) return found as CaaRecord[];
      throw Object.assign(new Error(name), { code: name === 'broken.example.org' ? 'ESERVFAIL' : 'ENOTFOUND' });
    },
  }) as unknown as Resolver;
const configuration = readConfiguration(EXAMPLE, SETTINGS);
const verdicts = async (zone: Readonly<Record<string, readonly object[]>>, changed: object = {}) =>
  (await caaFindings({ ...configuration, ...changed }, resolver(zone))).map(
    ({ check, verdict }) => `${check} ${verdict}`,
  );

describe('CAA records', () => {
  it('permit every authority if there are none', async () =>
    expect(await verdicts({})).toEqual(['postern.example.com CAA good', 'apps.example.com CAA good']));

  it('of a parent concern a name without its own', async () => {
    const zone = { 'example.com': [{ critical: 0, issue: 'digicert.com' }] };
    expect(await verdicts(zone)).toEqual(['postern.example.com CAA bad', 'apps.example.com CAA bad']);
    expect(
      await verdicts({ ...zone, 'apps.example.com': [{ critical: 0, issue: 'letsencrypt.org; accounturi=x' }] }),
    ).toEqual(['postern.example.com CAA bad', 'apps.example.com CAA good']);
  });

  it('without "issue" permit every authority', async () =>
    expect(await verdicts({ 'example.com': [{ critical: 0, iodef: 'mailto:a@example.com' }] })).toContain(
      'postern.example.com CAA good',
    ));

  it('are not checked for an authority whose name is not known', async () =>
    expect(
      await verdicts({}, { acme: { ...configuration.acme, directory: 'https://ca.example.org/directory' } }),
    ).toEqual([]));
});
