/** @jest-environment-options {"customExportConditions": ["postern-source", "node"]} */

import { expect, it } from '@jest/globals';
import PostalMime from 'postal-mime';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();

it('A deleted email service is not found, its keys are refused, its webhooks stop, and its links still redirect', async () => {
  const sender = await world.sender('Shop', 'gone.test');
  await world.dashboard.patch(sender.path, { click_tracking: true });
  const message = '<p><a href="https://gone.test/order?a=1">Your order</a></p>';
  const mail = { from: 'Shop <orders@gone.test>', to: ['gone@customers.test'], subject: 'Gone', message };
  await sender.send(mail);
  const { raw } = await world.mailTo('gone@customers.test');
  const { html = '' } = await PostalMime.parse(raw);
  const link = /<a href="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';

  const deleted = await world.callDashboardApi('DELETE', sender.path);
  expect([deleted.status, deleted.body]).toEqual([200, { id: sender.serviceId, deleted: true }]);
  expect((await sender.send(mail)).status).toBe(401);
  for (const path of [sender.path, `${sender.path}/webhooks`, `${sender.path}/emails`])
    expect((await world.callDashboardApi('GET', path)).status).toBe(404);
  const visit = await fetch(link, { redirect: 'manual' });
  expect([visit.status, visit.headers.get('location')]).toEqual([302, 'https://gone.test/order?a=1']);
});
