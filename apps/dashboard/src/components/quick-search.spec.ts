import { describe, expect, it } from '@jest/globals';
import { type Found, matching } from './quick-search.js';

const all: readonly Found[] = [
  { kind: 'Page', name: 'Home', to: '/' },
  { kind: 'Email service', name: 'Shop', to: '/services/1' },
  { kind: 'Logs', name: 'workshop', to: '/web-services/2/logs' },
  { kind: 'Logs', name: 'Shop', to: '/web-services/3/logs' },
];
const found = (text: string) => matching(all, text).map(({ to }) => to);

describe('the search', () => {
  it.each([
    ['every entry without a text', '', ['/', '/services/1', '/web-services/2/logs', '/web-services/3/logs']],
    ['names that begin with the text first', 'shop', ['/services/1', '/web-services/3/logs', '/web-services/2/logs']],
    ['what has every word, in any case and order', 'SHOP logs', ['/web-services/2/logs', '/web-services/3/logs']],
    ['nothing that has only some of the words', 'shop home', []],
  ])('finds %s', (_, text, expected) => expect(found(text)).toEqual(expected));

  it('shows at most twelve entries', () => expect(matching(Array(20).fill(all[0]), 'home')).toHaveLength(12));
});
