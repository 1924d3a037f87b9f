import { describe, expect, it } from '@jest/globals';
import { EndpointWorker } from './endpoint-worker.js';
import type { DueDelivery } from './ports.js';
import { MAX_REQUESTS_OF_SERVICE, MAX_REQUESTS_OF_WORKSPACE, WorkspaceShare } from './workspace-share.js';

const endpoint = (share: WorkspaceShare, webhookId: string, waiting: number, serviceId = 'shop'): EndpointWorker => {
  const worker = new EndpointWorker(serviceId, () => 0);
  for (let count = 0; count < waiting; count++) worker.add({ webhookId, serviceId } as DueDelivery, 0);
  share.add(worker);
  return worker;
};

const started = (share: WorkspaceShare) => [...share.next()].map(([, delivery]) => delivery);
const webhooksOf = (share: WorkspaceShare) => started(share).map(({ webhookId }) => webhookId);

describe('The endpoints of a workspace', () => {
  it('take turns', () => {
    const share = new WorkspaceShare();
    endpoint(share, 'a', 3);
    endpoint(share, 'b', 1);
    expect(webhooksOf(share)).toEqual(['a', 'b', 'a', 'a']);
  });

  it('share a limit of concurrent requests, however many email services it has', () => {
    const share = new WorkspaceShare();
    for (let number = 0; number < 20; number++)
      for (const webhook of ['a', 'b']) endpoint(share, `${webhook} ${number}`, 8, `service ${number}`);
    const deliveries = started(share);
    expect(deliveries).toHaveLength(MAX_REQUESTS_OF_WORKSPACE);
    expect(new Set(deliveries.map(({ webhookId }) => webhookId)).size).toBe(40);
    expect(webhooksOf(share)).toEqual([]);
  });

  it('of one email service leave room for those of its others', () => {
    const share = new WorkspaceShare();
    for (let number = 0; number < 20; number++) endpoint(share, `webhook ${number}`, 8);
    expect(webhooksOf(share)).toHaveLength(MAX_REQUESTS_OF_SERVICE);
    endpoint(share, 'other', 2, 'blog');
    expect(webhooksOf(share)).toEqual(['other', 'other']);
  });

  it('use what another endpoint leaves free', () => {
    const share = new WorkspaceShare();
    const slow = Array.from({ length: 8 }, (_, number) => endpoint(share, `slow ${number}`, 8));
    expect([...share.next()]).toHaveLength(MAX_REQUESTS_OF_SERVICE);
    endpoint(share, 'late', 2);
    expect(webhooksOf(share)).toEqual([]);
    slow[0]!.onResponse();
    share.onResponse('shop');
    expect(webhooksOf(share)).toEqual(['late']);
  });
});
