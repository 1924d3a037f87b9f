import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sharedWorld } from './stories.js';

/** The patterns of the table in docs/security.md, by prefix. */
const document = readFileSync(join(import.meta.dirname, '../../docs/security.md'), 'utf8');
const patterns = new Map(
  [...document.matchAll(/^\| `(\w+_)` +\|.*\| `(\\b.*)` +\|$/gm)].map(([, prefix = '', pattern = '']) => [
    prefix,
    pattern,
  ]),
);
const matches = (prefix: string, text: string) => text.match(new RegExp(patterns.get(prefix) ?? '', 'g')) ?? [];

const world = await sharedWorld();
const sender = await world.sender('Secrets');
const { body } = await world.callDashboardApi('POST', '/platform-keys', { name: 'Secrets', scope: 'read' });
const management = await world.callDashboardApi('POST', '/management-keys', { name: 'Secrets', scopes: ['domains'] });
const project = await world.callDashboardApi('POST', '/projects', { name: 'Secrets' });
const service = await world.callDashboardApi('POST', '/web-services', {
  name: 'secrets',
  project_id: project.body['id'],
  git_repository_url: 'https://git.example.com/secrets.git',
  port: 3000,
});
const hook = (await world.callDashboardApi('POST', `/web-services/${String(service.body['id'])}/deploy-hook`, {})).body;
const SECRETS = [
  ['em_live_', sender.apiKey],
  ['ak_live_', String(body['key'])],
  ['em_admin_', String(management.body['key'])],
  ['st_live_', world.token],
  ['dh_live_', String(hook['url']).split('/').at(-1) ?? ''],
  ['dhsec_', String(hook['secret'])],
  ['whsec_', sender.webhookSecret],
] as const;

it('every kind of secret that users store has a pattern', () => {
  expect([...patterns.keys()].sort()).toEqual(SECRETS.map(([prefix]) => prefix).sort());
});

describe.each(SECRETS)('the pattern of %s', (prefix, secret) => {
  it.each([
    ['alone', ''],
    ['in a setting', '"'],
    ['in a URL', '&'],
    ['in code', "'"],
  ])('finds a whole secret %s', (_, around) => {
    expect(matches(prefix, `KEY=${around}${secret}${around}\n`)).toEqual([secret]);
  });

  it('does not match a part of a secret, another kind, or random base64', () => {
    expect(matches(prefix, secret.slice(0, -9))).toEqual([]);
    expect(matches(prefix, `${prefix}${'…'}`)).toEqual([]);
    const others = SECRETS.filter(([other]) => other !== prefix).map(([, other]) => other);
    expect(matches(prefix, others.join('\n'))).toEqual([]);
    const random = randomBytes(3_000_000);
    expect(matches(prefix, random.toString('base64') + random.toString('base64url'))).toEqual([]);
  });
});
