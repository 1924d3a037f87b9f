import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { VERIFICATION_SNIPPETS } from './verification-snippets.js';

const run = promisify(execFile);
const SECRET = 'whsec_c2VjcmV0';
const BODY = '{"event":"delivered","subject":"Grüße"}';

const sign = (timestamp: string, body = BODY, secret = SECRET): string =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');

const now = String(Math.floor(Date.now() / 1_000));
const old = String(Number(now) - 4_000);

const GOOD = [now, sign(now)];
const BAD = [
  [now, sign(now, '{}')],
  [now, sign(now, BODY, 'whsec_other')],
  [old, sign(old)],
  ['now', sign('now')],
  [now, ''],
];
const RECEIVED = JSON.stringify([GOOD, ...BAD]);

const PROGRAMS: Readonly<Record<string, [file: string, ...args: string[]]>> = {
  'Node.js': [
    process.execPath,
    '--input-type=module',
    '-e',
    `${VERIFICATION_SNIPPETS.node}
     const verdicts = ${RECEIVED}.map(([timestamp, signature]) => isFromPostern(
       { 'x-service-timestamp': timestamp, 'x-service-signature': signature },
       Buffer.from(${JSON.stringify(BODY)}), ${JSON.stringify(SECRET)}));
     console.log(JSON.stringify(verdicts));`,
  ],
  Python: [
    'python3',
    '-c',
    `${VERIFICATION_SNIPPETS.python}
import json
print(json.dumps([is_from_postern(
    {"X-Service-Timestamp": timestamp, "X-Service-Signature": signature},
    ${JSON.stringify(BODY)}.encode(), ${JSON.stringify(SECRET)}) for timestamp, signature in ${RECEIVED}]))`,
  ],
};

it.each(Object.entries(PROGRAMS))(
  'The verification in %s accepts a request of Postern, and rejects any other body, secret, time or malformed header',
  async (_, [file, ...args]) => {
    const { NODE_OPTIONS: _options, ...environment } = process.env;
    const env = { ...environment, PYTHONUTF8: '1' };
    const { stdout } = await run(file, args, { timeout: 60_000, env });
    expect(JSON.parse(stdout)).toEqual([true, false, false, false, false, false]);
  },
  90_000,
);
