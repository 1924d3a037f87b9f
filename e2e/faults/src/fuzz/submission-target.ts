import type { SeededRandom } from '../run/random.js';
import type { Attacker } from './fuzz-world.js';
import { mutate } from './mutate.js';
import { smtpProblemOf } from './smtp-answers.js';
import { exchange, exchangeOverTls } from './socket.js';
import type { FuzzTarget } from './target.js';

const SILENT_MS = 600;
/** Exceeds the limit of a submitted message, 10 MiB. */
const OVERSIZE = `${'x'.repeat(998)}\r\n`.repeat(11_000);
const LONG_LINE = 'x'.repeat(100_000);

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

const part = (type: string, body: string, ...fields: readonly string[]): readonly string[] => [
  '--b',
  `Content-Type: ${type}`,
  ...fields,
  '',
  body,
];

const MIME = [
  'From: Shop <shop@fuzz.test>',
  'To: attacker@fuzz.test',
  'Cc: "A, B" <attacker@fuzz.test>',
  'Subject: =?utf-8?B?RnV6eg==?=',
  'Message-ID: <fuzz@fuzz.test>',
  'Date: Mon, 2 Mar 2026 10:00:00 +0000',
  'MIME-Version: 1.0',
  'X-Order-Id: 1',
  'Content-Type: multipart/mixed; boundary="b"',
  '',
  ...part('text/plain; charset=utf-8', 'caf=C3=A9', 'Content-Transfer-Encoding: quoted-printable'),
  ...part('text/html', '<a href="https://example.com/">link</a><img src="cid:a">'),
  ...part(
    'application/octet-stream; name="a.bin"',
    base64('attached'),
    'Content-Disposition: attachment; filename="a.bin"',
    'Content-Transfer-Encoding: base64',
    'Content-ID: <a>',
  ),
  ...part('message/rfc822', 'Subject: inner\r\n\r\ninner'),
  '--b--',
  '',
].join('\r\n');

type Conversation = (attacker: Attacker, random: SeededRandom) => readonly string[];

const plain = (key: string): string => `AUTH PLAIN ${base64(`\0postern\0${key}`)}\r\n`;
const envelope = ['MAIL FROM:<shop@fuzz.test>\r\n', 'RCPT TO:<attacker@fuzz.test>\r\n', 'DATA\r\n'];
const dotStuffed = (text: string): string => text.replace(/(^|\n)\./g, '$1..');

/** Each part is sent after the reply to the previous one. */
const CONVERSATIONS: readonly Conversation[] = [
  function commands({ apiKey }, random) {
    const all = [
      'EHLO client.fuzz.test',
      plain(apiKey).trimEnd(),
      'MAIL FROM:<shop@fuzz.test> SIZE=100 BODY=8BITMIME SMTPUTF8',
      'RCPT TO:<attacker@fuzz.test>',
      'RSET',
      'VRFY attacker',
      'HELP',
      'NOOP',
      'STARTTLS',
    ];
    return all.map(command => `${random.chance(0.4) ? mutate(command, random) : command}\r\n`);
  },
  function authentication({ apiKey }, random) {
    const [user, key] = [base64('postern'), base64(apiKey)].map(text =>
      random.chance(0.7) ? mutate(text, random) : text,
    );
    const login = ['AUTH LOGIN\r\n', `${user}\r\n`, `${key}\r\n`];
    const continued = ['AUTH PLAIN\r\n', `${mutate(base64(`\0postern\0${apiKey}`), random)}\r\n`];
    const initial = [`${mutate(plain(apiKey).trimEnd(), random)}\r\n`];
    const cancelled = ['AUTH LOGIN\r\n', '*\r\n', 'AUTH PLAIN =\r\n'];
    return ['EHLO client.fuzz.test\r\n', ...random.pick([login, continued, initial, cancelled]), ...envelope];
  },
  function message({ apiKey }, random) {
    const text = dotStuffed(mutate(MIME, random));
    return ['EHLO client.fuzz.test\r\n', plain(apiKey), ...envelope, `${text}\r\n.\r\n`, 'QUIT\r\n'];
  },
  function pipelining({ apiKey }, random) {
    const commands = [plain(apiKey), ...envelope, `${dotStuffed(MIME)}\r\n.\r\n`, ...envelope, 'RSET\r\n', 'QUIT\r\n'];
    const sent = commands.map(command => (random.chance(0.2) ? mutate(command, random) : command));
    return ['EHLO client.fuzz.test\r\n', sent.join('')];
  },
  function oversize({ apiKey }, random) {
    const start = ['EHLO client.fuzz.test\r\n', plain(apiKey)];
    const body = random.pick([
      OVERSIZE,
      `${LONG_LINE}\r\n`,
      `X-Long: ${LONG_LINE}\r\n\r\n`,
      'X-A: b\r\n'.repeat(20_000),
    ]);
    const declared = 'MAIL FROM:<shop@fuzz.test> SIZE=99999999999\r\n';
    const recipients = random.chance(0.3) ? envelope[1]!.repeat(200) : envelope[1]!;
    return random.chance(0.2)
      ? [...start, declared, ...envelope]
      : [...start, envelope[0]!, recipients, 'DATA\r\n', `${body}\r\n.\r\n`, 'QUIT\r\n'];
  },
];

/** Mutated commands, AUTH exchanges and messages to SMTP submission, mostly over TLS with a valid key. */
export const submissionTarget = (port: number, attacker: Attacker): FuzzTarget => ({
  name: 'submission',
  attack: async random => {
    // A message of more than 10 MiB takes seconds, so it is sent rarely.
    const index = random.chance(0.02) ? CONVERSATIONS.length - 1 : random.integer(0, CONVERSATIONS.length - 2);
    const sent = CONVERSATIONS[index]!(attacker, random);
    const answer = random.chance(0.8)
      ? await exchangeOverTls(port, sent, SILENT_MS)
      : await exchange(port, ['', ...sent], SILENT_MS);
    return smtpProblemOf(sent, answer);
  },
});
