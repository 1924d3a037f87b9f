import { describe, expect, it } from '@jest/globals';
import { namesOf, pastOf } from './names.ts';

describe('the names of an aggregate', () => {
  it.each([
    ['notes', 'note', 'Note', 'note_id'],
    ['accounts/billing-entries', 'billing-entry', 'BillingEntry', 'billing_entry_id'],
  ])('%s: %s', (folder, singular, Singular, field) =>
    expect(namesOf('email-send', folder)).toMatchObject({ folder, singular, Singular, field }),
  );

  it.each(['note', 'Notes', 'my_notes', '../notes'])('are refused for %s', folder =>
    expect(() => namesOf('email-send', folder)).toThrow(folder.replace('../notes', '..')),
  );
});

describe('an event', () => {
  it.each([
    ['create', 'created'],
    ['stop', 'stopped'],
    ['retry', 'retried'],
    ['add', 'added'],
    ['delete', 'deleted'],
    ['restart', 'restarted'],
  ])('of %s is %s', (verb, past) => expect(pastOf(verb)).toBe(past));
});
