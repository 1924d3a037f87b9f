import { describe, expect, it } from '@jest/globals';
import { readSubmittedMessage } from './submitted-message.js';

const read = (...lines: string[]) =>
  readSubmittedMessage(
    Buffer.from([...lines, 'From: a@x.test', 'To: b@x.test', 'Message-ID: <own@x.test>', '', 'Hello'].join('\r\n')),
  );

describe('The header of a submitted message', () => {
  it('gives tags, under the names of Postern and of Postmark', () => {
    const { options } = read(
      'X-Postern-Tag-Order_id: 4711',
      'X-PM-Tag: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
      'X-PM-Metadata-Customer-Id: 7',
      'x-pm-metadata-FOLDED: one\r\n two',
    );
    expect({ ...options.tags }).toEqual({ order_id: '4711', tag: 'Grüße', customer_id: '7', folded: 'one two' });
  });

  it('gives tags that are names of object properties', () => {
    expect(Object.entries(read('X-Postern-Tag-__proto__: x', 'X-Postern-Tag-constructor: y').options.tags)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  it.each([
    ['X-Postern-Track-Opens: no', { opens: false }],
    ['X-PM-TrackOpens: true', { opens: true }],
    ['X-PM-TrackOpens: perhaps', {}],
    ['X-Postern-Track-Clicks: yes', { clicks: true }],
    ['X-PM-TrackLinks: None', { clicks: false }],
    ['X-PM-TrackLinks: TextOnly', { clicks: false }],
    ['X-PM-TrackLinks: HtmlAndText', { clicks: true }],
    ['X-PM-TrackLinks: HtmlOnly', { clicks: true }],
  ])('switches tracking: %s', (line, tracking) => expect(read(line).options.tracking).toEqual(tracking));

  it.each(['X-Postern-Keep-Message-Id: yes', 'X-PM-KeepID: true'])('keeps the Message-ID: %s', line =>
    expect(read(line).keptMessageId).toBe('own@x.test'),
  );

  it('has no options by default', () => {
    const { options, keptMessageId } = read('X-Tag: other', 'X-PM-Message-Stream: outbound');
    expect([{ ...options.tags }, options.tracking, keptMessageId]).toEqual([{}, {}, undefined]);
  });
});
