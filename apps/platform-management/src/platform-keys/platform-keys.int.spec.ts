import { afterAll, describe, expect, it } from '@jest/globals';
import { listPlatformKeys, revokePlatformKey } from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { codeOf, OPERATOR } from '../testing/accounts-fixture.js';
import { ResourcesFixture, refusalOf } from '../testing/resources-fixture.js';
import { CallLimit } from './call-limit.js';
import { PlatformCalls } from './platform-calls.js';

const resources = await ResourcesFixture.start();
afterAll(() => resources.stop());

describe('a platform key', () => {
  it('authenticates its user with its scope', async () => {
    const {
      key,
      projects: _projects,
      operations: _operations,
      ...made
    } = await resources.newKey('read', { expires_at: '2099-01-01T00:00:00Z' });

    expect(await resources.call(key)).toEqual({
      caller: { ...resources.user, key: { ...made, expiry: '2099-01-01T00:00:00.000Z' } },
      rate_limit: { limit: 30, remaining: 29, reset_s: 60 },
    });
  });

  it('with the scope read is refused for writes, and the call counts', async () => {
    const { key } = await resources.newKey('read');
    const refusal = await refusalOf(resources.call(key, 'write'));

    expect(refusal).toMatchObject({
      code: 'insufficient_scope',
      details: { required: 'write', actual: 'read', refused_key: { workspace_id: resources.user.workspace_id } },
    });
    expect((await resources.call(key)).rate_limit?.remaining).toBe(28);
  });

  it('is unknown in every replica immediately after its revocation', async () => {
    const { user, stranger } = resources;
    const { id: key_id, key } = await resources.newKey('write');
    await resources.call(key);
    const elsewhere = { ...stranger, workspace_id: uuidv7() };
    const byStranger = resources.request(revokePlatformKey, { ...elsewhere, key_id });
    expect(await codeOf(byStranger)).toBe('platform_key_not_found');

    await resources.request(revokePlatformKey, { ...user, key_id });

    const answers = await Promise.all(Array.from({ length: 8 }, () => codeOf(resources.call(key))));
    expect(new Set(answers)).toEqual(new Set(['platform_key_invalid']));
    expect((await resources.request(listPlatformKeys, user)).map(({ id }) => id)).not.toContain(key_id);
  });

  it('is refused after it expires', async () => {
    const { user } = resources;
    const { id, key } = await resources.newKey('read', { expires_at: new Date(Date.now() + 700).toISOString() });
    expect(await codeOf(resources.call(key))).toBeUndefined();

    await waitFor(async () => (await codeOf(resources.call(key))) === 'platform_key_invalid', {
      describe: 'the expiry',
    });
    const { details } = await refusalOf(resources.call(key));
    expect(details).toEqual({ reason: 'platform_key_expired', refused_key: { id, workspace_id: user.workspace_id } });
    expect(await refusalOf(resources.call('ak_live_unknown'))).toMatchObject({ details: {} });
  });
});

describe('calls of a platform key', () => {
  it('are limited to 30 a minute over all replicas, each counted once', async () => {
    const { key } = await resources.newKey('read');
    const answers = await Promise.all(Array.from({ length: 100 }, () => codeOf(resources.call(key))));

    expect(answers.filter(code => code === undefined)).toHaveLength(30);
    expect(answers.filter(code => code === 'rate_limit_reached')).toHaveLength(70);
  });

  it('are counted over alternating replicas, and the thirty-first receives a retry time', async () => {
    const { key, caller } = await keyWithCaller();
    const [one, other] = admissions();
    for (let n = 1; n < 30; n++) await (n % 2 ? one : other).admit(caller, 30);

    const { code, details } = await refusalOf(resources.call(key));

    expect(code).toBe('rate_limit_reached');
    const { retry_after_s, rate_limit } = details as { retry_after_s: number; rate_limit: object };
    expect(rate_limit).toEqual({ limit: 30, remaining: 0, reset_s: retry_after_s });
    expect(retry_after_s).toBeGreaterThan(0);
    expect(retry_after_s).toBeLessThanOrEqual(60);
  });

  it('with another key are counted separately', async () => {
    const [{ key: busy }, { key: quiet }] = [await resources.newKey('read'), await resources.newKey('read')];
    const answers = await Promise.all(Array.from({ length: 31 }, () => codeOf(resources.call(busy))));

    expect(answers).toContain('rate_limit_reached');
    expect((await resources.call(quiet)).rate_limit?.remaining).toBe(29);
  });

  it('are limited in any 60 seconds: calls that become old make room, one by one', async () => {
    const { id, key } = await resources.newKey('read');
    const age = (seconds: number) =>
      resources.fixture.query(
        'UPDATE platform_call_counts SET slots = ARRAY(SELECT slot - 4 * $2 FROM unnest(slots) AS slot) WHERE key_id = $1',
        [id, seconds],
      );
    const admitted = async (calls: number) => {
      const answers = await Promise.all(Array.from({ length: calls }, () => codeOf(resources.call(key))));
      return answers.filter(code => code === undefined).length;
    };
    expect(await admitted(1)).toBe(1);
    await age(57);
    expect(await admitted(40)).toBe(29);
    await age(4);
    // Only the first call is a minute ago; a window that starts with it would admit 30 more.
    expect(await admitted(40)).toBe(1);
    expect(await refusalOf(resources.call(key))).toMatchObject({ details: { retry_after_s: expect.any(Number) } });
    await age(30);
    expect(await admitted(40)).toBe(0);
    await age(27);
    expect(await admitted(40)).toBe(29);
  });

  it('beyond the limit do not count, so that a client that does not wait is served again after 60 seconds', async () => {
    const { id, key } = await resources.newKey('read');
    for (let n = 0; n < 60; n++) await codeOf(resources.call(key));
    const [row] = await resources.fixture.query<{ calls: number[]; slots: string[] }>(
      'SELECT slot_calls AS calls, slots FROM platform_call_counts WHERE key_id = $1',
      [id],
    );
    expect(row?.calls.reduce((sum, calls) => sum + calls, 0)).toBe(30);
    expect(row?.slots).toHaveLength(row?.calls.length ?? 0);
  });
});

describe('the last use of a platform key', () => {
  it('is saved in the background and not by the call', async () => {
    const { id, key } = await resources.newKey('read');
    const before = Date.now();
    await resources.call(key);
    expect(await lastUseOf(id)).toBeNull();

    await flushAll();

    expect(Date.parse((await lastUseOf(id)) ?? '')).toBeGreaterThanOrEqual(before);
  });

  it('is saved later if saving fails', async () => {
    const { id, key } = await resources.newKey('read');
    await resources.call(key);
    await resources.fixture.query('ALTER TABLE platform_key_uses RENAME TO platform_key_uses_elsewhere');
    await Promise.allSettled(admissions().map(calls => calls.saveLastUses()));
    await resources.fixture.query('ALTER TABLE platform_key_uses_elsewhere RENAME TO platform_key_uses');

    await flushAll();

    expect(await lastUseOf(id)).not.toBeNull();
  });

  it('is saved by a replica that stops before its next save in the background', async () => {
    const { id, caller } = await keyWithCaller();
    const replica = await resources.fixture.addReplica(OPERATOR);
    await replica.app.get(PlatformCalls, { strict: false }).admit(caller, 30);

    await replica.stop();

    expect(await lastUseOf(id)).not.toBeNull();
  });
});

/** Last, because the replicas without a limit keep running. */
it('a limit of 0 disables it: calls are admitted and not counted', async () => {
  const lifted = await resources.fixture.addReplica(OPERATOR, undefined, { POSTERN_PLATFORM_CALLS_PER_MINUTE: '0' });
  expect(lifted.app.get(CallLimit, { strict: false }).perMinute).toBe(0);
  await Promise.all(resources.fixture.replicas.slice(0, 2).map(replica => replica.stop()));
  const { id, key } = await resources.newKey('read');

  const answers = await Promise.all(Array.from({ length: 40 }, () => resources.call(key)));

  expect(answers.filter(({ rate_limit }) => rate_limit !== null)).toEqual([]);
  expect(await resources.fixture.query('SELECT 1 FROM platform_call_counts WHERE key_id = $1', [id])).toEqual([]);
});

/** The admission of each replica. */
const admissions = (): [PlatformCalls, PlatformCalls] => {
  const [one, other] = resources.fixture.replicas.map(({ app }) => app.get(PlatformCalls, { strict: false }));
  if (!one || !other) throw new Error('two replicas are needed');
  return [one, other];
};

const flushAll = () => Promise.all(admissions().map(calls => calls.saveLastUses()));

/** A key that was used once, and its hash. */
const keyWithCaller = async () => {
  const made = await resources.newKey('read');
  await resources.call(made.key);
  const [row] = await resources.fixture.query<{ key_hash: string }>(
    'SELECT key_hash FROM platform_keys WHERE id = $1',
    [made.id],
  );
  return { ...made, caller: String(row?.key_hash) };
};

const lastUseOf = async (id: string) =>
  (await resources.request(listPlatformKeys, resources.user)).find(key => key.id === id)?.last_used_at;
