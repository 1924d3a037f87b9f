import { describe, expect, it } from '@jest/globals';
import { complaint } from '../testing/reports.js';
import type { InboundMail } from './inbound-mail.js';
import { readInboundMail } from './read-inbound-mail.js';

describe('a feedback report', () => {
  it('has one author, or no reliable one', () => {
    const authorOf = (from: string) => {
      const mail = read(`${from}${complaint.replace(/^From:.*\r?\n/im, '')}`);
      return mail.kind === 'feedback_report' ? mail.from : 'no report';
    };
    expect(authorOf('From: Feedback <Loop@Arf.Example.COM>\n')).toBe('loop@arf.example.com');
    expect(authorOf('From: loop@example.com\nFrom: eve@example.com\n')).toBeUndefined();
    expect(authorOf('From: loop@example.com, eve@example.com\n')).toBeUndefined();
    expect(authorOf('From: "loop@example.com" <eve@evil.test>\n')).toBe('eve@evil.test');
    expect(authorOf('')).toBeUndefined();
  });

  it('names the complainant and the message', () => {
    expect(read(complaint)).toEqual({
      kind: 'feedback_report',
      form: 'arf',
      from: 'fbl@example.net',
      feedbackType: 'abuse',
      userAgent: 'SomeGenerator/1.0',
      sourceIp: '192.0.2.1',
      originalMailFrom: 'b+token@bounce.example.com',
      originalRecipients: ['ada@example.org', 'bob@example.org'],
      reported: { messageId: '0198c0de@mail.example.com' },
    });
  });

  it('never names a truncated address when it is truncated at any position', () => {
    for (let end = 0; end <= complaint.length; end++) {
      const mail = read(complaint.slice(0, end));
      if (mail.kind !== 'feedback_report') continue;
      for (const address of mail.originalRecipients) expect(['ada@example.org', 'bob@example.org']).toContain(address);
      expect(['b+token@bounce.example.com', undefined]).toContain(mail.originalMailFrom);
      expect(['192.0.2.1', undefined]).toContain(mail.sourceIp);
      expect(['0198c0de@mail.example.com', undefined]).toContain(mail.reported.messageId);
    }
  });

  it('has no source if the address is invalid', () => {
    expect(read(complaint.replace('192.0.2.1', 'elsewhere'))).not.toHaveProperty('sourceIp');
  });
});

function read(text: string): InboundMail {
  return readInboundMail(Buffer.from(text));
}
