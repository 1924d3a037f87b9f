import { describe, expect, it } from '@jest/globals';
import { readListQuery, writeListQuery } from './list-query.js';

describe('the state of a list in a URL', () => {
  it.each([
    ['', { offset: 0, limit: 20, filter: { search: '' } }],
    ['?page=3', { offset: 40, limit: 20, filter: { search: '' } }],
    ['?page=2&size=50&search=in%20voice', { offset: 50, limit: 50, filter: { search: 'in voice' } }],
    ['?page=-1&size=7', { offset: 0, limit: 20, filter: { search: '' } }],
    ['?page=1.5', { offset: 0, limit: 20, filter: { search: '' } }],
    ['?page=1e300', { offset: 0, limit: 20, filter: { search: '' } }],
  ])('%j is read', (search, state) => expect(readListQuery(search, ['search'], 20)).toEqual(state));

  it.each([
    [{ offset: 0, limit: 20, filter: { search: '' } }, '?tab=html'],
    [{ offset: 40, limit: 20, filter: { search: 'a b' } }, '?tab=html&page=3&search=a+b'],
    [{ offset: 50, limit: 50, filter: { search: '' } }, '?tab=html&page=2&size=50'],
  ])('%j is written beside other parameters', (state, search) =>
    expect(writeListQuery('?tab=html&page=9&search=x', state, 20)).toBe(search),
  );
});
