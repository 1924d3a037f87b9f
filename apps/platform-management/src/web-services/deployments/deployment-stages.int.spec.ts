import { afterAll, expect, it } from '@jest/globals';
import { createDeployment, getDeployment, listDeployments, rollBackDeployment } from '@postern/contracts';
import { BuildFailed } from '@postern/runtime';
import { ServedWebServices } from '../../testing/served-web-services.js';

const fixture = await ServedWebServices.start();
afterAll(() => fixture.stop());

const newService = () => fixture.newService();
type Service = Awaited<ReturnType<typeof newService>>;
const ended = async (service: Service, id: string, status: 'live' | 'failed') => {
  const read = () => fixture.client.request(getDeployment, { ...service, deployment_id: id });
  await fixture.until(read, status);
  return read();
};
const deployed = async (service: Service, status: 'live' | 'failed' = 'live') =>
  ended(service, (await fixture.client.request(createDeployment, service)).id, status);

it('a deployment has its stages without a gap, and the message and the author of its commit', async () => {
  const service = await newService();
  const live = await deployed(service);
  expect(live).toMatchObject({ commit_message: 'Fix the cart', commit_author: 'Ada' });
  const { stages = [] } = live;
  expect(stages.map(({ name }) => name)).toEqual(['queue', 'source', 'build', 'release']);
  expect(stages[0]?.started_at).toBe(live.created_at);
  expect(stages.map(({ started_at }) => started_at).slice(1)).toEqual(
    stages.map(({ finished_at }) => finished_at).slice(0, -1),
  );
  expect(stages.at(-1)?.finished_at).toBe(live.finished_at);
  const { items } = await fixture.client.request(listDeployments, service);
  expect(items).toEqual([live]);
});

it('a failed build shows the commit and ends with its stage', async () => {
  const service = await newService();
  fixture.machine.script.build = () => {
    throw new BuildFailed('npm ci exited with code 1', { subject: 'Break the build', author: 'Bea' });
  };
  const failed = await deployed(service, 'failed');
  fixture.machine.reset();
  expect(failed).toMatchObject({ commit_message: 'Break the build', commit_author: 'Bea' });
  expect(failed.stages?.at(-1)).toMatchObject({ name: 'build', finished_at: failed.finished_at });
});

it('a rollback shows the commit of its origin, and has no build', async () => {
  const service = await newService();
  const first = await deployed(service);
  await deployed(service);
  const { id } = await fixture.client.request(rollBackDeployment, { ...service, deployment_id: first.id });
  const rollback = await ended(service, id, 'live');
  expect(rollback).toMatchObject({ rollback_of: first.id, commit_message: 'Fix the cart', commit_author: 'Ada' });
  expect(rollback.stages?.map(({ name }) => name)).toEqual(['queue', 'release']);
});
