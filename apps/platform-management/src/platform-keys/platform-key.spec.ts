import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import { keyPrefixOf, newPlatformKey, type PlatformKeyEvent, platformKey } from './platform-key.js';

const given = specificationOf(platformKey);
const at = '2026-01-01T00:00:00.000Z';
const later = '2026-01-02T00:00:00.000Z';
const settings = {
  kind: 'create',
  keyId: 'key-1',
  userId: 'ada',
  workspaceId: 'shop',
  name: 'CI',
  keyHash: 'f'.repeat(64),
  keyPrefix: 'ak_live_abcd',
  scope: 'read',
  expiresAt: undefined,
  at,
} as const;

const created: PlatformKeyEvent = {
  type: 'platform-management.platform-key-created.v1',
  data: {
    key_id: 'key-1',
    user_id: 'ada',
    workspace_id: 'shop',
    name: 'CI',
    key_hash: 'f'.repeat(64),
    key_prefix: 'ak_live_abcd',
    scope: 'read',
    expires_at: null,
    at,
  },
};
const revoked: PlatformKeyEvent = {
  type: 'platform-management.platform-key-revoked.v1',
  data: { key_id: 'key-1', at: later },
};
const revoke = { kind: 'revoke', workspaceId: 'shop', at: later } as const;

describe('a platform key', () => {
  it('is created with a scope and an optional expiry', () => {
    given().when(settings).yields(created);
    given()
      .when({ ...settings, expiresAt: later })
      .yields({ ...created, data: { ...created.data, expires_at: later } } as PlatformKeyEvent);
  });

  it('cannot expire before its creation', () => {
    given()
      .when({ ...settings, expiresAt: at })
      .refuses('invalid_input');
  });

  it('is revoked once, in its workspace', () => {
    given(created).when(revoke).yields(revoked);
    given(created, revoked).when(revoke).refuses('platform_key_not_found');
    given(created)
      .when({ ...revoke, workspaceId: 'other' })
      .refuses('platform_key_not_found');
    given().when(revoke).refuses('platform_key_not_found');
  });

  it('is ak_live_ and 43 random characters, and its first 12 characters are its prefix', () => {
    const key = newPlatformKey(limit => limit - 1);
    expect(key).toBe(`ak_live_${'z'.repeat(43)}`);
    expect(keyPrefixOf(key)).toBe('ak_live_zzzz');
  });

  foldsEveryFixture(join(import.meta.dirname, 'fixtures/platform-key'), platformKey);
});
