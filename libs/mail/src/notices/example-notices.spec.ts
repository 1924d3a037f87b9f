import { describe, expect, it } from '@jest/globals';
import { classifyBounce } from '../bounces/classify-bounce.js';
import { EXAMPLE_NOTICES } from '../testing/example-notices.js';
import { OTHER_MAIL } from '../testing/other-mail.js';
import { readInboundMail } from './read-inbound-mail.js';

const read = (mail: string) => readInboundMail(Buffer.from(mail.replaceAll('\n', '\r\n')));

describe('a notice that does not follow RFC 3464', () => {
  it.each(Object.entries(EXAMPLE_NOTICES))('is recognized by its text: %s', (_, { mail, addresses, ...expected }) => {
    const notice = read(mail);
    if (notice.kind !== 'delivery_notification') throw new Error(`read as ${JSON.stringify(notice)}`);
    expect(notice.perRecipient.map(({ finalRecipient }) => finalRecipient?.address)).toEqual(addresses);
    const { action, status, diagnostic, words } = notice.perRecipient[0]!;
    const { type, rule } = classifyBounce({
      ...(status === undefined ? {} : { status }),
      ...(diagnostic === undefined ? {} : { text: diagnostic }),
      ...(words === undefined ? {} : { words }),
      isFinal: action === 'failed',
    });
    expect({ action, type, rule }).toEqual(expected);
  });

  it.each(Object.entries(OTHER_MAIL))('is not recognized in %s', (_, { mail, why }) => {
    expect(read(mail)).toMatchObject({ kind: 'other', why });
  });
});

describe('hostile notices', () => {
  it('never make the reader fail: 10,000 mutations of all examples', () => {
    const mails = Object.values({ ...EXAMPLE_NOTICES, ...OTHER_MAIL }).map(({ mail }) => mail);
    const pieces = ['\0', '\n\n', '--', '<', '@', '550 ', 'x'.repeat(5_000), '=?utf-8?b?', '\u00ff', 'a@b.io>'];
    const random = seeded(20260301);
    for (let round = 0; round < 10_000; round++) {
      let mail = mails[random(mails.length)]!;
      for (let change = random(4); change >= 0; change--) {
        const [from, to] = [random(mail.length), random(mail.length)].toSorted((a, b) => a - b) as [number, number];
        const between = random(2) === 0 ? pieces[random(pieces.length)]! : mail.slice(from, to);
        mail = mail.slice(0, from) + between + mail.slice(random(2) === 0 ? from : to);
      }
      const notice = readInboundMail(Buffer.from(mail, 'latin1'));
      if (notice.kind === 'other') expect(notice.text.length).toBeLessThanOrEqual(2_000);
      if (notice.kind !== 'delivery_notification') continue;
      expect(notice.perRecipient.length).toBeLessThanOrEqual(100);
      for (const { diagnostic = '', words = '' } of notice.perRecipient)
        expect(diagnostic.length <= 500 && words.length <= 4_000).toBe(true);
    }
  }, 60_000);
});

/** Park–Miller: the same sequence in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (state * 48_271) % 2_147_483_647;
    return state % Math.max(below, 1);
  };
}
