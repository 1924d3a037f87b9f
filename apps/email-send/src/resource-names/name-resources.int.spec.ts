import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addSendingDomain,
  createApiKey,
  createEmailService,
  createTemplate,
  nameEmailResources,
  revokeApiKey,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { AdministrationFixture } from '../testing/administration-fixture.js';

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
}, 60_000);
afterAll(() => fixture?.stop());

describe('the names of resources', () => {
  it('are those of email services, keys, domains and templates, also of deleted services, keys and domains', async () => {
    const { client } = fixture;
    const workspace_id = uuidv7();
    const { id: service_id } = await client.request(createEmailService, { workspace_id, name: 'Shop' });
    const service = { workspace_id, service_id };
    const key = await client.request(createApiKey, { ...service, name: 'Server' });
    const domain = await client.request(addSendingDomain, { ...service, domain: 'named.example.com' });
    const content = { subject: 'Hello', html: '<p>Hello</p>' };
    const template = await client.request(createTemplate, { ...service, name: 'receipt', ...content });
    await client.request(revokeApiKey, { ...service, key_id: key.id });
    const ids = [service_id, key.id, domain.id, template.id, uuidv7()];
    const { resources } = await client.request(nameEmailResources, { ids });
    expect(new Map(resources.map(({ id, name }) => [id, name]))).toEqual(
      new Map([
        [service_id, 'Shop'],
        [key.id, 'Server'],
        [domain.id, 'named.example.com'],
        [template.id, 'receipt'],
      ]),
    );
    expect(await client.request(nameEmailResources, { ids: [] })).toEqual({ resources: [] });
  });
});
