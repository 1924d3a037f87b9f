import { describe, expect, it } from '@jest/globals';
import { actorOptions } from './audit-actors.js';

const known = {
  members: [
    { id: 'u1', email: 'ada@example.com', status: 'active' as const },
    { id: 'u2', email: 'bob@example.com', status: 'invited' as const },
  ],
  platformKeys: [{ id: 'k1', name: 'CI' }],
  managementKeys: [{ id: 'k2', name: 'Terraform' }],
};

describe('the actors to choose from', () => {
  it('are members, keys by their names, and the kinds without a list', () => {
    const labels = actorOptions(known, '').map(([, label]) => label);
    expect(labels.slice(0, 4)).toEqual(['Anybody', 'ada@example.com', 'Platform key CI', 'Management key Terraform']);
    expect(labels).toContain('Postern itself');
    expect(labels.join()).not.toContain('bob@example.com');
  });

  it('keep one who is chosen in the address and is not known any more', () => {
    expect(actorOptions(known, 'former').at(-1)).toEqual(['former', 'former']);
    expect(actorOptions(known, 'k1').map(([id]) => id)).not.toContain('former');
  });

  it('can be used before the lists have arrived', () => {
    const none = { members: undefined, platformKeys: undefined, managementKeys: undefined };
    expect(actorOptions(none, '')[0]).toEqual(['', 'Anybody']);
  });
});
