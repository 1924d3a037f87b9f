import { afterAll, expect, it } from '@jest/globals';
import { createDeployment, getDeployment, listDeployments } from '@postern/contracts';
import { eventually } from '@postern/testing';
import { ServedWebServices } from '../../testing/served-web-services.js';

const fixture = await ServedWebServices.start();
afterAll(() => fixture.stop());

it('Workspaces take turns in the build queue, and each queued deployment shows its position', async () => {
  const gates = new Map<string, () => void>();
  fixture.machine.script.build = ({ webServiceId }) => new Promise(resolve => gates.set(webServiceId, resolve));
  const [busy, other] = [await fixture.owner(), await fixture.owner()];
  const deploy = async (owner: typeof busy) => {
    const service = await fixture.newService(owner);
    const { id } = await fixture.client.request(createDeployment, service);
    const read = () => fixture.client.request(getDeployment, { ...service, deployment_id: id });
    return { ...service, id, read };
  };
  const first = await deploy(busy);
  await fixture.until(first.read, 'building');
  const second = await deploy(busy);
  const third = await deploy(busy);
  const ofOther = await deploy(other);

  await eventually(async () => {
    const places = await Promise.all(
      [first, second, third, ofOther].map(async one => (await one.read()).queue_position),
    );
    expect(places).toEqual([undefined, 2, 3, 1]);
  });
  const { items } = await fixture.client.request(listDeployments, third);
  expect(items[0]).toMatchObject({ id: third.id, status: 'queued', queue_position: 3 });

  const finish = async ({ web_service_id, read }: typeof first) => {
    gates.get(web_service_id)!();
    await fixture.until(read, 'live');
  };
  for (const next of [ofOther, second, third]) {
    await finish(next === ofOther ? first : next === second ? ofOther : second);
    await fixture.until(next.read, 'building');
    expect((await next.read()).queue_position).toBeUndefined();
  }
  await finish(third);
}, 60_000);
