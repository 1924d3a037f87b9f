import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { startHttpReceiver, type TestHttpReceiver } from '@postern/testing';
import { ApiClient } from './api-client.js';

let gateway: TestHttpReceiver;
beforeEach(async () => {
  gateway = await startHttpReceiver();
});
afterEach(() => gateway.stop());

const limited = { status: 429, headers: { 'retry-after': '1' }, body: '{"error":"rate_limited"}' };

it('repeats a rate-limited request after the time in Retry-After', async () => {
  gateway.answerNext(limited, { status: 200, body: '{"status":"live"}' });
  const began = Date.now();
  expect(await new ApiClient(gateway.url, 'key', { retryForMs: 60_000 }).post('/deployments')).toEqual({
    status: 'live',
  });
  expect(Date.now() - began).toBeGreaterThanOrEqual(1_000);
});

it('gives up if the retries would exceed the time limit', async () => {
  gateway.answerNext(limited);
  await expect(new ApiClient(gateway.url, 'key', { retryForMs: 500 }).get('/deployments')).rejects.toThrow(
    'GET /deployments answered 429',
  );
});
