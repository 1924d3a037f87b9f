import { beforeEach, describe, expect, it } from '@jest/globals';
import { AttemptDelivery } from './attempt-delivery.js';
import type { AttemptResult, ClaimedDelivery, DeliveryQueue, EndpointClient, SignedRequest } from './ports.js';

const claimed = (ageMs: number): ClaimedDelivery => ({
  id: '0198c0de-0000-7000-8000-000000000001',
  webhookId: '0198c0de-0000-7000-8000-000000000002',
  serviceId: '0198c0de-0000-7000-8000-000000000003',
  workspaceId: '0198c0de-0000-7000-8000-000000000003',
  fence: '1',
  url: 'https://old.test/',
  secret: 'whsec_old',
  payload: '{}',
  attempts: 0,
  traceparent: undefined,
  claimedAtMs: Date.now() - ageMs,
});

let requests: SignedRequest[];
let recorded: AttemptResult[];
let responses: number;
let reads: number;
let current: ClaimedDelivery | undefined | Error;
beforeEach(() => {
  [requests, recorded, responses, reads, current] = [[], [], 0, 0, undefined];
});

const attempt = (delivery: ClaimedDelivery) => {
  const client = {
    send: async (request: SignedRequest) => {
      requests.push(request);
      return { status: 200, responseHead: '', latencyMs: 1 };
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
  return new AttemptDelivery(client, queue).execute(delivery, () => {
    responses += 1;
  });
};

describe('an attempt', () => {
  it('right after the claim needs no further read', async () => {
    await attempt(claimed(0));
    expect([reads, requests.length, recorded.length, responses]).toEqual([0, 1, 1, 1]);
  });

  it('that had to wait uses the current URL and secret of its endpoint', async () => {
    current = { ...claimed(0), url: 'https://new.test/', secret: 'whsec_new' };
    await attempt(claimed(1_500));
    expect(requests).toMatchObject([{ url: 'https://new.test/', secret: 'whsec_new' }]);
    expect(recorded).toMatchObject([{ delivery: current }]);
  });

  it('that had to wait is not made if its endpoint was disabled or removed', async () => {
    await attempt(claimed(1_500));
    expect([requests.length, recorded.length, responses]).toEqual([0, 0, 1]);
  });

  it('that had to wait frees its place when it cannot be read again', async () => {
    current = new Error('the database is unavailable');
    await expect(attempt(claimed(1_500))).rejects.toThrow('unavailable');
    expect([requests.length, responses]).toEqual([0, 1]);
  });
});
