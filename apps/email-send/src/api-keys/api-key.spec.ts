import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import { type ApiKeyEvent, apiKey, keyPrefixOf, newApiKey } from './api-key.js';

const AT = '2026-03-01T10:00:00.000Z';
const created: ApiKeyEvent = {
  type: 'email-send.api-key-created.v1',
  data: { key_id: 'k1', service_id: 's1', name: 'app', key_hash: 'ab', key_prefix: 'em_live_0123', at: AT },
};
const revoked: ApiKeyEvent = {
  type: 'email-send.api-key-revoked.v1',
  data: { key_id: 'k1', service_id: 's1', at: AT },
};
const given = specificationOf(apiKey);
const revoke = { kind: 'revoke', serviceId: 's1', at: AT } as const;

foldsEveryFixture(join(import.meta.dirname, 'fixtures'), apiKey);

describe('an API key', () => {
  it('is em_live_ and 43 base62 characters, each drawn evenly from all 62', () => {
    const limits: number[] = [];
    const key = newApiKey(limit => {
      limits.push(limit);
      return (limits.length - 1) % limit;
    });
    expect(key).toBe('em_live_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg');
    expect(limits).toEqual(Array(43).fill(62));
    expect(newApiKey(limit => limit - 1)).toMatch(/^em_live_z{43}$/);
  });

  it('shows its first 12 characters', () => expect(keyPrefixOf(newApiKey(() => 0))).toBe('em_live_0000'));

  it('is revoked once', () => {
    given(created).when(revoke).yields(revoked);
    given(created, revoked).when(revoke).refuses('api_key_not_found');
  });

  it('cannot be revoked by another service', () =>
    given(created)
      .when({ ...revoke, serviceId: 's2' })
      .refuses('api_key_not_found'));

  it('cannot be revoked if it does not exist', () => given().when(revoke).refuses('api_key_not_found'));
});
