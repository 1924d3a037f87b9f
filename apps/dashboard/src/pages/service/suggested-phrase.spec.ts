import { expect, it } from '@jest/globals';
import { suggestedPhrase } from './suggested-phrase.js';

it.each([
  ['550 5.1.1 Rejected by the policy of this company', 'Rejected by the policy of this company'],
  ['550 5.1.1 <ada@x.test>: Recipient rejected by policy', 'Recipient rejected by policy'],
  ['ada@other.test: 550-5.7.1 Mailbox <ada@other.test> blocked, see the help page', 'blocked, see the help page'],
  ['failed 5.0.0', 'failed 5.0.0'],
  ['550 ada@x.test', ''],
])('Of the reply %s, the phrase %s is suggested', (reply, phrase) => expect(suggestedPhrase(reply)).toBe(phrase));

it('A long reply is cut to what the API accepts', () => {
  expect(suggestedPhrase(`550 ${'blocked '.repeat(100)}`)).toHaveLength(300);
});
