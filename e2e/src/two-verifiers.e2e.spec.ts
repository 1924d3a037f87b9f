import { describe, expect, it } from '@jest/globals';
import { verifiedByDkimpy, verifiedSignatures } from './dkim.js';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();
const sender = await world.sender('Shop', 'two-verifiers.test');
const dns = world.postern.dns.address;

/** Lines that must be folded or encoded, and that a relay must not change. */
const MESSAGES = {
  'a plain message': { subject: 'Your receipt', message: '<p>You paid <b>42 €</b>.</p>' },
  'other scripts, emoji and right-to-left text': {
    subject: 'Ünïcode ✓ 用户 שלום 🎉',
    message: '<p dir="rtl">שלום</p>',
  },
  'a subject of 900 characters': { subject: 'long '.repeat(180).trim(), message: '<p>x</p>' },
  'headers of the caller': {
    subject: 'x',
    message: '<p>x</p>',
    headers: { 'X-Order': '42', 'X-Long': 'v'.repeat(500) },
  },
  'lines that start with dots, and long ones': { subject: 'x', message: `<pre>.\n..\n${'y'.repeat(5_000)}\n.</pre>` },
  'blanks at line ends and empty lines at the end': { subject: '  x  ', message: '<p>a  \nb\t\n</p>\n\n\n\n' },
};

describe('a received message', () => {
  it.each(Object.entries(MESSAGES))('passes mailauth and dkimpy: %s', async (name, content) => {
    const to = `${name.replace(/\W+/g, '-')}@customers.test`;
    const { status } = await sender.send({ from: 'Shop <shop@two-verifiers.test>', to: [to], ...content });
    expect(status).toBe(200);
    const { raw } = await world.mailTo(to);

    expect(await verifiedSignatures(raw, dns)).toEqual([{ result: 'pass', domain: 'two-verifiers.test' }]);
    expect(await verifiedByDkimpy(raw, dns)).toEqual([true]);
  });

  it('fails both if its text, author or subject was changed', async () => {
    const to = 'changed@customers.test';
    await sender.send({ from: 'Shop <shop@two-verifiers.test>', to: [to], subject: 'Receipt', message: '<p>42</p>' });
    const { raw } = await world.mailTo(to);
    const changes = [raw.replace('<p>42', '<p>43'), raw.replace('Shop <', 'Shaq <'), raw.replace('Receipt', 'receipt')];

    for (const changed of changes) {
      expect(changed).not.toBe(raw);
      expect(await verifiedSignatures(changed, dns)).toEqual([expect.not.objectContaining({ result: 'pass' })]);
      expect(await verifiedByDkimpy(changed, dns)).not.toEqual([true]);
    }
  });
});
