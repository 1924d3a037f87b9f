import { afterAll, afterEach, beforeEach, expect, it } from '@jest/globals';
import { createDeployment, getDeployment, stopWebService } from '@postern/contracts';
import { BuildFailed } from '@postern/runtime';
import { eventually } from '@postern/testing';
import type { WebServiceOf } from '../../testing/caller.js';
import { RecordedEvents } from '../../testing/recorded-events.js';
import { ServedWebServices } from '../../testing/served-web-services.js';

const fixture = await ServedWebServices.start();
afterAll(() => fixture.stop());
afterEach(() => {
  fixture.machine.script.build = () => {};
});

let service: WebServiceOf;
beforeEach(async () => {
  service = await fixture.newService();
});

const deploy = async (status: 'live' | 'failed'): Promise<string> => {
  const { id } = await fixture.client.request(createDeployment, service);
  await fixture.until(() => fixture.client.request(getDeployment, { ...service, deployment_id: id }), status);
  return id;
};
const arrived = () =>
  RecordedEvents.ofWebService(service.web_service_id).map(({ type, data }) => [
    type.replace(/^platform-management\.|\.v1$/g, ''),
    'deployment_id' in data ? data.deployment_id : undefined,
  ]);

it('the events of a deployment are published once each and in order', async () => {
  const first = await deploy('live');
  const second = await deploy('live');
  await fixture.client.request(stopWebService, service);

  await eventually(async () => expect(arrived().at(-1)).toEqual(['web-service-stopped', undefined]));
  const stages = ['deployment-requested', 'deployment-begun', 'deployment-built', 'deployment-live'];
  expect(arrived()).toEqual([
    ...stages.map(stage => [stage, first]),
    ...stages.map(stage => [stage, second]),
    ['deployment-superseded', first],
    ['web-service-stopped', undefined],
  ]);
  const versions = RecordedEvents.ofWebService(service.web_service_id).map(({ version }) => version);
  expect(versions).toEqual([...versions].sort((one, other) => one - other));
});

it('a failed deployment is published without its reason, which may contain secret values', async () => {
  fixture.machine.script.build = () => {
    throw new BuildFailed('npm printed COLOUR=red and exited with code 1');
  };
  const deployment_id = await deploy('failed');

  await eventually(async () => expect(arrived().at(-1)).toEqual(['deployment-failed', deployment_id]));
  const events = RecordedEvents.ofWebService(service.web_service_id);
  expect(events.at(-1)?.data).toEqual({
    web_service_id: service.web_service_id,
    deployment_id,
    at: expect.any(String),
  });
  expect(JSON.stringify(events)).not.toMatch(/COLOUR|git\.example|example\.com/);
});
