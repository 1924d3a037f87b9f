import { describe, expect, it } from '@jest/globals';
import { stateOfRecord } from './state-of-record.js';

describe('a DNS record', () => {
  it.each([
    ['is found', { ok: true, found: ['v=spf1 -all'] }, 'pending', 'found'],
    ['is found though nothing has to be published', { ok: true, found: [] }, 'pending', 'found'],
    ['is not checked yet', { ok: false, found: null }, 'pending', 'unchecked'],
    ['of a new domain is awaited while nothing is found', { ok: false, found: [] }, 'pending', 'awaited'],
    ['of a new domain is wrong if something else is found', { ok: false, found: ['v=spf1 -all'] }, 'pending', 'wrong'],
    ['that a verified domain has lost is wrong', { ok: false, found: [] }, 'records_lost', 'wrong'],
    ['of a verified domain with a new key is wrong until it is found', { ok: false, found: [] }, 'verified', 'wrong'],
  ] as const)('%s', (_, record, domain, state) =>
    expect(stateOfRecord({ ok: record.ok, found: record.found && [...record.found] }, domain)).toBe(state),
  );
});
