import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from '@jest/globals';
import { buildPrograms, folder, LANGUAGES, testsOf } from './languages.js';
import { against, origin } from './scripted-server.js';

const EMAIL = { from: 'Grüße <a@example.com>', to: 'b@example.org', subject: 'Zoë ✓', text: 'Hello' };
const RECORD = {
  id: '0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00',
  status: 'sent',
  mode: 'production',
  from: 'a@example.com',
  to: ['b@example.org'],
  message: 'Sent.',
};
const SEND = { call: 'send', email: EMAIL };
const UNKNOWN_ID = '..%2f/x?y';
beforeAll(buildPrograms, 300_000);

describe.each(LANGUAGES.map(language => [language.name, language] as const))('the library in %s', (_, language) => {
  const test = testsOf(language);

  test('sends a message with the key, as JSON in UTF-8, and returns its record', async () => {
    const { outcome, received } = await against(language, [{ body: RECORD }], SEND);
    expect(outcome).toEqual({ reply: RECORD });
    expect(received).toMatchObject([
      {
        line: 'POST /emails',
        headers: { 'api-key': 'em_live_key', 'content-type': 'application/json', 'idempotency-key': expect.anything() },
      },
    ]);
    expect(JSON.parse(received[0]!.body)).toEqual({ ...EMAIL, to: ['b@example.org'] });
  });

  test.each([
    ['503', { status: 503, body: { error: 'Try again.' } }],
    ['429', { status: 429, body: { error: 'Slower.' } }],
    ['a lost connection', { closes: true }],
    ['an answer that is cut off', { body: '{"id":' }],
  ])('repeats a request after %s with the same idempotency key', async (_what, first) => {
    const { outcome, received } = await against(language, [first, { body: RECORD }], SEND);
    expect(outcome).toEqual({ reply: RECORD });
    const [one, two] = received;
    expect(received).toHaveLength(2);
    expect(two?.headers['idempotency-key']).toBe(one?.headers['idempotency-key']);
    expect(two!.at - one!.at).toBeGreaterThan(750);
  });

  test('waits for Retry-After', async () => {
    const answers = [{ status: 429, headers: { 'retry-after': '2' } }, { body: RECORD }];
    const { received } = await against(language, answers, SEND);
    expect(received[1]!.at - received[0]!.at).toBeGreaterThan(1_900);
  });

  test('waits while an attempt whose connection was lost is still in progress', async () => {
    const busy = { status: 409, headers: { 'error-code': 'idempotency_key_in_flight' }, body: { error: 'Busy.' } };
    const { outcome } = await against(language, [{ closes: true }, busy, { body: RECORD }], SEND);
    expect(outcome).toEqual({ reply: RECORD });
  });

  test('uses the idempotency key of the caller', async () => {
    const { received } = await against(language, [{ body: RECORD }], { ...SEND, idempotency_key: 'order 17' });
    expect(received[0]?.headers['idempotency-key']).toBe('order 17');
  });

  test.each([400, 401, 403, 404, 409, 413, 415, 302])('does not repeat a request after %s', async status => {
    const headers = {
      'error-code': 'some_code',
      'x-request-id': 'r-1',
      'email-id': RECORD.id,
      location: `${origin}/elsewhere`,
    };
    const answers = [{ status, headers, body: { error: 'Refused.' } }, { body: RECORD }];
    const { outcome, received } = await against(language, answers, SEND);
    expect(received).toHaveLength(1);
    expect(outcome).toEqual({
      error: 'api',
      message: 'Refused.',
      status,
      code: 'some_code',
      request_id: 'r-1',
      retry_after: null,
      email_id: RECORD.id,
    });
  });

  test('reports an error whose answer is no JSON', async () => {
    const { outcome } = await against(language, [{ status: 404, body: '<html>' }], SEND);
    expect(outcome).toMatchObject({ status: 404, message: 'Postern answered with status 404.', code: null });
  });

  test('gives up when Retry-After is too long, or after the last repetition', async () => {
    const late = { status: 429, headers: { 'retry-after': '3600' }, body: { error: 'Tomorrow.' } };
    const first = await against(language, [late, { body: RECORD }], SEND);
    expect([first.outcome, first.received.length]).toEqual([
      expect.objectContaining({ status: 429, retry_after: 3_600 }),
      1,
    ]);
    const busy = { status: 503, body: { error: 'Busy.' } };
    const second = await against(language, [busy, busy, busy], { ...SEND, options: { max_retries: 1 } });
    expect([second.outcome, second.received.length]).toEqual([expect.objectContaining({ status: 503 }), 2]);
  });

  test('gives up an attempt at its time limit', async () => {
    const call = { ...SEND, options: { timeout_s: 1, max_retries: 0 } };
    expect((await against(language, [{ hangs: true }], call)).outcome).toEqual({ error: 'connection' });
  });

  test('sends a batch, and returns the outcomes in order', async () => {
    const outcomes = [
      { status: 200, email: RECORD },
      { status: 422, error: 'No.', error_code: 'recipient_not_verified' },
    ];
    const call = { call: 'batch', emails: [EMAIL, EMAIL] };
    const { outcome, received } = await against(language, [{ body: outcomes }], call);
    expect(outcome).toMatchObject({
      reply: [{ status: 200, email: { id: RECORD.id } }, { error_code: 'recipient_not_verified' }],
    });
    expect(JSON.parse(received[0]!.body)).toHaveLength(2);
  });

  test('gets a record, whatever its id contains', async () => {
    const { received } = await against(language, [{ body: RECORD }], { call: 'get', id: UNKNOWN_ID });
    expect(received.map(({ line }) => line)).toEqual([`GET /emails/${encodeURIComponent(UNKNOWN_ID)}`]);
    expect(received[0]?.headers['idempotency-key']).toBeUndefined();
    const { outcome } = await against(language, [], { call: 'get', id: '..' });
    expect(outcome).toMatchObject({ error: 'usage' });
  });

  test('schedules a message', async () => {
    const scheduled = { id: 'x', send_at: '2030-01-31T09:00:00.000Z', state: 'scheduled' };
    const call = { call: 'schedule', send_at: '2030-01-31T09:00:00Z', email: EMAIL };
    const { outcome, received } = await against(language, [{ body: scheduled }], call);
    expect(outcome).toMatchObject({ reply: { id: 'x', state: 'scheduled' } });
    const { send_at, email } = JSON.parse(received[0]!.body) as { send_at: string; email: unknown };
    expect([Date.parse(send_at), email]).toEqual([
      Date.parse('2030-01-31T09:00:00Z'),
      expect.objectContaining({ subject: 'Zoë ✓' }),
    ]);
  });

  test.each([
    [{ key: '' }, 'key is missing'],
    [{ url: '' }, 'such as https://postern.example.com'],
    [{ url: 'postern.example.com' }, 'such as https://postern.example.com'],
  ])('names what is wrong with %j', async (wrong, message) => {
    const { outcome } = await against(language, [], { ...SEND, ...wrong });
    expect(outcome).toMatchObject({ error: 'usage' });
    if (language.name !== 'JavaScript' || !('url' in wrong)) expect(outcome['message']).toContain(message);
  });

  // In JavaScript, the caller encodes the file.
  if (language.name === 'JavaScript') return;
  test('attaches a file', async () => {
    const path = join(folder, `Rechnung ü ${language.name}.pdf`);
    const content = Buffer.from([0, 255, 13, 10, 128]);
    writeFileSync(path, content);
    const { received } = await against(language, [{ body: RECORD }], { call: 'attach', email: EMAIL, path });
    const { attachments } = JSON.parse(received[0]!.body) as { attachments: { filename: string; content: string }[] };
    expect(attachments).toMatchObject([
      { filename: `Rechnung ü ${language.name}.pdf`, content: content.toString('base64') },
    ]);
  });
});
