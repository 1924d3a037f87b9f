import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EndpointResponse } from '@postern/outbound';
import { AttemptDelivery } from './attempt-delivery.js';
import type { AttemptResult, DeliveryQueue, EndpointClient, PendingDelivery, SignedRequest } from './ports.js';

const pending = (ageMs: number): PendingDelivery => ({
  id: '0198c0de-0000-7000-8000-000000000001',
  webhookId: '0198c0de-0000-7000-8000-000000000002',
  serviceId: '0198c0de-0000-7000-8000-000000000003',
  workspaceId: '0198c0de-0000-7000-8000-000000000003',
  url: 'https://old.test/',
  secret: 'whsec_old',
  payload: '{}',
  rateLimit: undefined,
  ordered: false,
  attempts: 0,
  traceparent: undefined,
  readAtMs: performance.now() - ageMs,
});

let requests: SignedRequest[];
let recorded: AttemptResult[];
let responses: number;
let reads: number;
let current: PendingDelivery | undefined | Error;
let response: EndpointResponse;
beforeEach(() => {
  [requests, recorded, responses, reads, current] = [[], [], 0, 0, undefined];
  response = { status: 200, responseHead: '', latencyMs: 1 };
});

const attempt = (delivery: PendingDelivery, maySend?: () => boolean) => {
  const client = {
    send: async (request: SignedRequest) => {
      requests.push(request);
      return response;
    },
  } as unknown as EndpointClient;
  const queue = {
    readAgain: async () => {
      reads += 1;
      if (current instanceof Error) throw current;
      return current;
    },
    record: async (result: AttemptResult) => {
      recorded.push(result);
    },
  } as unknown as DeliveryQueue;
  const onResponse = () => {
    responses += 1;
  };
  return new AttemptDelivery(client, queue).execute(delivery, { onResponse, ...(maySend && { maySend }) });
};

describe('an attempt', () => {
  it('right after the read needs no further read', async () => {
    await attempt(pending(0));
    expect([reads, requests.length, recorded.length, responses]).toEqual([0, 1, 1, 1]);
  });

  it('that had to wait uses the current URL and secret of its endpoint', async () => {
    current = { ...pending(0), url: 'https://new.test/', secret: 'whsec_new' };
    await attempt(pending(1_500));
    expect(requests).toMatchObject([{ url: 'https://new.test/', secret: 'whsec_new' }]);
    expect(recorded).toMatchObject([{ delivery: current }]);
  });

  it('that had to wait is not made if its endpoint was disabled or removed', async () => {
    await attempt(pending(1_500));
    expect([requests.length, recorded.length, responses]).toEqual([0, 0, 1]);
  });

  it('that had to wait frees its place when it cannot be read again', async () => {
    current = new Error('the database is unavailable');
    await expect(attempt(pending(1_500))).rejects.toThrow('unavailable');
    expect([requests.length, responses]).toEqual([0, 1]);
  });

  it('is not made by a process that has lost its endpoint', async () => {
    expect(await attempt(pending(0), () => false)).toBeUndefined();
    expect([requests.length, recorded.length, responses]).toEqual([0, 0, 1]);
  });

  it('that was not sent is not recorded', async () => {
    response = { error: 'the request was not sent', latencyMs: 1, notSent: true };
    expect(await attempt(pending(0))).toBeUndefined();
    expect([requests.length, recorded.length, responses]).toEqual([1, 0, 1]);
  });

  it.each<[string, EndpointResponse, number]>([
    ['failed does not count', { error: 'no complete answer within 10 s', latencyMs: 1 }, 0],
    ['was accepted counts', { status: 200, latencyMs: 1 }, 1],
    ['was refused counts', { status: 410, latencyMs: 1 }, 1],
  ])('that %s if the process lost its endpoint meanwhile', async (_, answer, count) => {
    response = answer;
    let calls = 0;
    await attempt(pending(0), () => calls++ === 0);
    expect([requests.length, recorded.length]).toEqual([1, count]);
  });
});
