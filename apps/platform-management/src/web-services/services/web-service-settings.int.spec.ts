import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { changeWebService, createDeployment, getWebService } from '@postern/contracts';
import { ServedWebServices } from '../../testing/served-web-services.js';

let fixture: ServedWebServices;
let owner: { user_id: string; project_id: string };

beforeAll(async () => {
  fixture = await ServedWebServices.start();
}, 120_000);
afterAll(() => fixture?.stop());
beforeEach(async () => {
  owner = await fixture.owner();
});

const request: ServedWebServices['client']['request'] = (contract, body) => fixture.client.request(contract, body);
const refusal = (code: string, message: string) => ({ code, message: expect.stringContaining(message) });

describe('a web service', () => {
  it('keeps its root directory and its watch paths, which null removes', async () => {
    const { id } = await fixture.create(owner, { root_directory: './apps/web/', watch_paths: ['apps/web'] });
    const of = { user_id: owner.user_id, web_service_id: id };
    expect(await request(getWebService, of)).toMatchObject({ root_directory: 'apps/web', watch_paths: ['apps/web'] });
    await request(createDeployment, of);
    await fixture.until(() => request(getWebService, of), 'running');
    expect(fixture.machine.orders.at(-1)).toMatchObject({ rootDirectory: 'apps/web' });
    const changed = await request(changeWebService, { ...of, root_directory: '.', watch_paths: null });
    expect(changed).toMatchObject({ root_directory: null, watch_paths: [] });
  });

  it('passes its health check and its first-byte limit to the runtime, if that supports them', async () => {
    const settings = { health_check: { host: 'shop.example.com', grace_seconds: 60 }, first_byte_timeout_seconds: 90 };
    await expect(fixture.create(owner, settings)).rejects.toMatchObject(
      refusal('invalid_input', 'health_check: this installation does not support it'),
    );
    fixture.machine.features.add('healthCheck').add('firstByteTimeout');
    const { id, ...created } = await fixture.create(owner, settings);
    expect(created).toMatchObject(settings);
    const of = { user_id: owner.user_id, web_service_id: id };
    await request(createDeployment, of);
    await fixture.until(() => request(getWebService, of), 'running');
    expect(fixture.machine.rolls.at(-1)).toMatchObject({
      healthCheck: { host: 'shop.example.com', graceSeconds: 60 },
      firstByteSeconds: 90,
    });
    const reset = { ...of, health_check: null, first_byte_timeout_seconds: null };
    expect(await request(changeWebService, reset)).toMatchObject({
      health_check: null,
      first_byte_timeout_seconds: null,
    });
  });
});
