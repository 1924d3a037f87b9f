import { afterAll, afterEach, expect, it } from '@jest/globals';
import { createDeployment, getDeployment, listDeployments } from '@postern/contracts';
import { eventually } from '@postern/testing';
import { ServedWebServices } from '../../testing/served-web-services.js';

const fixture = await ServedWebServices.start();
afterAll(() => fixture.stop());
afterEach(() => {
  fixture.machine.reachable = true;
});

it('a deployment shows that it waits for the runtime, and goes live once the runtime responds', async () => {
  const service = await fixture.newService();
  fixture.machine.reachable = false;
  const { id } = await fixture.client.request(createDeployment, service);
  const read = () => fixture.client.request(getDeployment, { ...service, deployment_id: id });

  await eventually(async () =>
    expect(await read()).toMatchObject({ status: 'queued', error: expect.stringMatching(/^waiting for the runtime/) }),
  );
  await eventually(async () => {
    const { items } = await fixture.client.request(listDeployments, service);
    expect(items[0]!.error).toMatch(/^waiting for the runtime, which has not responded since \d{4}-/);
  });

  fixture.machine.reachable = true;
  await fixture.until(read, 'live');
  expect((await read()).error).toBeNull();
});
