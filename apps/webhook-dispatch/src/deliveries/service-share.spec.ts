import { describe, expect, it } from '@jest/globals';
import { EndpointWorker } from './endpoint-worker.js';
import type { ClaimedDelivery } from './ports.js';
import { MAX_REQUESTS_OF_SERVICE, ServiceShare } from './service-share.js';

const deliveryTo = (webhookId: string) => ({ webhookId }) as ClaimedDelivery;

const endpoint = (share: ServiceShare, webhookId: string, waiting: number): EndpointWorker => {
  const worker = new EndpointWorker(() => 0);
  for (let count = 0; count < waiting; count++) worker.add(deliveryTo(webhookId));
  share.add(worker);
  return worker;
};

const webhooksOf = (share: ServiceShare) => [...share.next()].map(([, { webhookId }]) => webhookId);

describe('The endpoints of an email service', () => {
  it('take turns', () => {
    const share = new ServiceShare();
    endpoint(share, 'a', 3);
    endpoint(share, 'b', 1);
    expect(webhooksOf(share)).toEqual(['a', 'b', 'a', 'a']);
  });

  it('share a limit of concurrent requests, however many they are', () => {
    const share = new ServiceShare();
    for (let number = 0; number < 20; number++) endpoint(share, `webhook ${number}`, 8);
    const started = [...share.next()];
    expect(started).toHaveLength(MAX_REQUESTS_OF_SERVICE);
    expect(new Set(started.map(([, { webhookId }]) => webhookId)).size).toBe(20);
    expect(webhooksOf(share)).toEqual([]);
  });

  it('use what another endpoint leaves free', () => {
    const share = new ServiceShare();
    const slow = Array.from({ length: 8 }, (_, number) => endpoint(share, `slow ${number}`, 8));
    expect([...share.next()]).toHaveLength(MAX_REQUESTS_OF_SERVICE);
    endpoint(share, 'late', 2);
    expect(webhooksOf(share)).toEqual([]);
    slow[0]!.onResponse();
    share.onResponse();
    expect(webhooksOf(share)).toEqual(['late']);
  });

  it('are forgotten with the last of them', () => {
    const share = new ServiceShare();
    const [first, second] = [endpoint(share, 'a', 1), endpoint(share, 'b', 1)];
    expect([share.remove(first!), share.remove(second!)]).toEqual([false, true]);
  });
});
