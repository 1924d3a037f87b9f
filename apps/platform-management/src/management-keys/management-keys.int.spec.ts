import { createHash } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  authenticateManagementKey,
  createManagementKey,
  listManagementKeys,
  type RequestInput,
  removeMember,
  revokeManagementKey,
  setUserEnabled,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { ResourcesFixture } from '../testing/resources-fixture.js';

const resources = await ResourcesFixture.start();
afterAll(() => resources.stop());

type Input = Partial<RequestInput<typeof createManagementKey>>;

const newOwner = async () => {
  const { id, email, workspaces } = await resources.fixture.newUser();
  return { user_id: id, email, workspace_id: String(workspaces[0]?.id) };
};
const newKey = ({ user_id, workspace_id }: Awaited<ReturnType<typeof newOwner>>, more: Input = {}) =>
  resources.request(createManagementKey, { user_id, workspace_id, name: 'CI', scopes: ['domains'], ...more });
const authenticate = (key: string) =>
  resources.request(authenticateManagementKey, { key_hash: createHash('sha256').update(key).digest('hex') });

describe('a management key', () => {
  it('is shown once, and authenticates its user with its scopes', async () => {
    const owner = await newOwner();
    const service_id = uuidv7();
    const { key, ...shown } = await newKey(owner, { scopes: ['domains', 'messages:read', 'domains'], service_id });
    expect(key).toMatch(/^em_admin_[0-9A-Za-z]{43}$/);
    expect(shown).toEqual({
      id: expect.any(String),
      name: 'CI',
      key_prefix: key.slice(0, 13),
      scopes: ['domains', 'messages:read'],
      service_id,
      expiry: null,
    });
    expect(await authenticate(key)).toEqual({
      key: shown,
      user_id: owner.user_id,
      email: owner.email,
      workspace_id: owner.workspace_id,
      role: 'owner',
    });
    const listed = await resources.request(listManagementKeys, owner);
    expect(listed).toEqual([{ ...shown, created_at: expect.any(String), last_used_at: expect.any(String) }]);
    expect(JSON.stringify(await resources.fixture.query('SELECT * FROM management_keys'))).not.toContain(key);
  });

  it('ends when it is revoked or expires', async () => {
    const owner = await newOwner();
    const [revoked, expired] = [await newKey(owner), await newKey(owner, { expires_at: '2999-01-01T00:00:00.000Z' })];
    const stranger = { workspace_id: uuidv7(), key_id: revoked.id };
    await expect(resources.request(revokeManagementKey, stranger)).rejects.toMatchObject({
      code: 'management_key_not_found',
    });
    await resources.request(revokeManagementKey, { ...owner, key_id: revoked.id });
    await expect(authenticate(revoked.key)).rejects.toMatchObject({ code: 'management_key_invalid' });
    await authenticate(expired.key);
    await resources.fixture.query('UPDATE management_keys SET expires_at = now() WHERE id = $1', [expired.id]);
    await expect(authenticate(expired.key)).rejects.toMatchObject({ code: 'management_key_invalid' });
    await expect(newKey(owner, { expires_at: '2020-01-01T00:00:00.000Z' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('ends with the membership and with the account of its user', async () => {
    const owner = await newOwner();
    const colleague = await resources.fixture.newUser();
    await resources.fixture.makeMember({ id: owner.workspace_id, ownerId: owner.user_id }, colleague, 'owner');
    const of = { user_id: colleague.id, email: colleague.email, workspace_id: owner.workspace_id };
    const [first, second] = [await newKey(of), await newKey(owner)];
    await resources.request(removeMember, {
      actor_id: owner.user_id,
      id: owner.workspace_id,
      member_id: colleague.id,
    });
    await expect(authenticate(first.key)).rejects.toMatchObject({ code: 'management_key_invalid' });
    const operator = await resources.fixture.operatorId();
    await resources.request(setUserEnabled, { actor_id: operator, id: owner.user_id, enabled: false });
    await expect(authenticate(second.key)).rejects.toMatchObject({ code: 'management_key_invalid' });
  });
});
