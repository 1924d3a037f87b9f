import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startHttpReceiver, type TestHttpReceiver } from './http-receiver.js';

describe('a receiver of webhooks', () => {
  let receiver: TestHttpReceiver;
  beforeEach(async () => {
    receiver = await startHttpReceiver();
  });
  afterEach(() => receiver.stop());

  const post = (body: string, signal?: AbortSignal) =>
    fetch(`${receiver.url}/hook?a=1`, { method: 'POST', body, headers: { 'X-Kind': 'test' }, signal: signal ?? null });

  it('records requests byte for byte', async () => {
    expect((await post('{"a": "ä"}')).status).toBe(200);
    const request = await receiver.nextRequest();
    expect(request).toMatchObject({ method: 'POST', url: '/hook?a=1', headers: { 'x-kind': 'test' } });
    expect(request.body).toEqual(Buffer.from('{"a": "ä"}'));
  });

  it('returns every matching request once, in order', async () => {
    await post('one');
    await post('two');
    expect((await receiver.nextRequest(({ body }) => body.toString() === 'two')).body.toString()).toBe('two');
    expect((await receiver.nextRequest()).body.toString()).toBe('one');
    await expect(receiver.nextRequest(undefined, { timeoutMs: 30 })).rejects.toThrow('2 came in');
  });

  it('returns a request as soon as it arrives, to one of the waiting callers', async () => {
    const waiting = [receiver.nextRequest(), receiver.nextRequest(({ body }) => JSON.parse(body.toString()) === 2)];
    await post('not JSON');
    await post('2');
    expect((await Promise.all(waiting)).map(({ body }) => body.toString())).toEqual(['not JSON', '2']);
    const tooLate = receiver.nextRequest(({ body }) => JSON.parse(body.toString()) === 3, { timeoutMs: 30 });
    const refused = expect(tooLate).rejects.toThrow('waited 30 ms for a request that fits');
    await post('not JSON either');
    await refused;
  });

  it('sends queued responses first, then the general one', async () => {
    receiver.answerWith({ status: 204 });
    receiver.answerNext({ status: 503, headers: { 'Retry-After': '7' } }, { status: 410 });
    const first = await post('');
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '7']);
    expect((await post('')).status).toBe(410);
    expect((await post('')).status).toBe(204);
  });

  it('hangs or drops the connection on request', async () => {
    receiver.answerNext({ behaviour: 'drop' }, { behaviour: 'hang' });
    await expect(post('')).rejects.toThrow('fetch failed');
    await expect(post('', AbortSignal.timeout(50))).rejects.toThrow('timeout');
  });
});
