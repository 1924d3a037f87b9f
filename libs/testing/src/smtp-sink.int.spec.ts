import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startSmtpSink, type TestSmtp } from './smtp-sink.js';

describe('an SMTP sink', () => {
  let sink: TestSmtp;
  beforeEach(async () => {
    sink = await startSmtpSink({ size: 1_000_000 });
  });
  afterEach(() => sink.stop());

  const converse = (lines: string[]): Promise<string[]> => dialogue(sink.port, lines);

  const mail = (from: string, to: string[], text: string) => [
    'EHLO test.example',
    `MAIL FROM:${from}`,
    ...to.map(address => `RCPT TO:${address}`),
    'DATA',
    `${text}\r\n.`,
    'QUIT',
  ];

  it('offers the extensions of a relay', async () => {
    const replies = await converse(['EHLO test.example', 'QUIT']);
    for (const extension of ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'DSN', 'SIZE 1000000']) {
      expect(replies).toContainEqual(expect.stringMatching(new RegExp(`^250[- ]${extension}$`)));
    }
  });

  it('records each message byte for byte with its envelope and notification parameters', async () => {
    await converse(
      mail(
        '<vip+1@example.com> RET=HDRS ENVID=a+2Bb',
        ['<ada@x.test> NOTIFY=SUCCESS,FAILURE ORCPT=rfc822;ada+2Bme@x.test', '<bob@x.test>'],
        'Subject: hi\r\n\r\n..dot\r\nend',
      ),
    );
    expect(sink.messages).toMatchObject([
      {
        from: 'vip+1@example.com',
        ret: 'HDRS',
        envid: 'a+b',
        to: [
          { address: 'ada@x.test', notify: ['SUCCESS', 'FAILURE'], orcpt: 'rfc822;ada+me@x.test' },
          { address: 'bob@x.test', notify: [] },
        ],
      },
    ]);
    expect(sink.messages[0]?.raw.toString()).toBe('Subject: hi\r\n\r\n.dot\r\nend\r\n');
  });

  it('accepts the null sender', async () => {
    await converse(mail('<>', ['<ada@x.test>'], 'x'));
    expect(sink.messages[0]?.from).toBe('');
  });

  it('refuses one of several recipients, as often as configured', async () => {
    sink.answer({ stage: 'rcpt', address: 'bob@x.test', times: 1, code: 451, text: '4.2.0 later' });
    expect(await converse(mail('<a@x.test>', ['<ada@x.test>', '<bob@x.test>'], 'x'))).toContain('451 4.2.0 later');
    await converse(mail('<a@x.test>', ['<bob@x.test>'], 'x'));
    expect(sink.messages.map(({ to }) => to.map(({ address }) => address))).toEqual([['ada@x.test'], ['bob@x.test']]);
    expect(sink.counters).toMatchObject({ taken: 2, refused: 1 });
  });

  it('refuses a sender, and a message after its final dot', async () => {
    sink.answer({ stage: 'mail', address: /@bad\.test$/, code: 550, text: '5.7.1 no' });
    sink.answer({ stage: 'data', address: 'full@x.test', code: 552, text: '5.2.2 full' });
    expect(await converse(mail('<a@bad.test>', [], 'x'))).toContain('550 5.7.1 no');
    expect(await converse(mail('<a@x.test>', ['<full@x.test>'], 'x'))).toContain('552 5.2.2 full');
    expect(sink.messages).toHaveLength(0);
  });

  it.each(['before', 'after'] as const)(
    'closes the connection %s the final dot without accepting the message',
    async cut => {
      sink.answer({ stage: 'data', cut });
      const replies = await converse(mail('<a@x.test>', ['<ada@x.test>'], 'x'));
      expect(replies.at(-1)).toMatch(/^354/);
      expect(sink.counters).toMatchObject({ cut: 1, taken: 0 });
    },
  );

  it('does not accept a message whose sender disconnected before the final dot', async () => {
    await converse([...mail('<a@x.test>', ['<ada@x.test>'], '').slice(0, 4), 'Subject: half\r\n\r\nnot the who']);
    expect(sink.counters.taken).toBe(0);
    expect(sink.messages).toEqual([]);
  });

  it('only counts when recording is off', async () => {
    await sink.stop();
    sink = await startSmtpSink({ record: false });
    await converse(mail('<a@x.test>', ['<ada@x.test>'], 'x'));
    expect(sink.messages).toHaveLength(0);
    expect(sink.counters).toMatchObject({ taken: 1, bytes: 3 });
  });
});

/** Sends each line after the reply to the previous line, and disconnects after the last. */
function dialogue(port: number, lines: string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const replies: string[] = [];
    const waiting = [...lines];
    let buffered = '';
    socket.on('data', chunk => {
      buffered += chunk;
      const complete = buffered.split('\r\n');
      buffered = complete.pop() ?? '';
      replies.push(...complete);
      const next = /^\d{3} /.test(complete.at(-1) ?? '') ? waiting.shift() : undefined;
      if (next !== undefined) socket.write(`${next}\r\n`);
      if (waiting.length === 0) socket.end();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(replies));
  });
}
