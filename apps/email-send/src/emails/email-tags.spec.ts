import { describe, expect, it } from '@jest/globals';
import { Refusal } from '@postern/contracts';
import { readTags } from './email-tags.js';

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, place) => [`n${place}`, '']));

describe('the tags of a message', () => {
  it('are names and strings', () => {
    const tags = { a: '', campaign_2: 'Frühling: 🌷', [`z${'_'.repeat(39)}`]: '🌷'.repeat(256), ...many(17) };
    expect(readTags(tags)).toEqual(tags);
    expect(readTags({})).toBeUndefined();
  });

  it.each([
    ['21 tags', many(21), /^tags: at most 20/],
    ['a name with a capital', { Campaign: 'x' }, /^tags: a name/],
    ['a name that starts with a digit', { '1a': 'x' }, /^tags: a name/],
    ['a name with a colon', { 'a:b': 'x' }, /^tags: a name/],
    ['no name', { '': 'x' }, /^tags: a name/],
    ['a name of 41 characters', { ['a'.repeat(41)]: 'x' }, /^tags: a name/],
    ['a value of 257 characters', { a: 'x'.repeat(257) }, /^tags\.a: at most 256/],
    ['a NUL', { a: '\0' }, /^tags\.a: NUL/],
    ['half a character', { a: '\ud800' }, /^tags\.a: NUL/],
  ])('are refused for %s', (_, tags, message) => {
    const refused = () => readTags(tags as Record<string, string>);
    expect(refused).toThrow(Refusal);
    expect(refused).toThrow(message);
  });
});
