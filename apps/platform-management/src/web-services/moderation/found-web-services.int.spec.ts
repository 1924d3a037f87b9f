import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findWebServices } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { type Owner, ServedWebServices } from '../../testing/served-web-services.js';

let fixture: ServedWebServices;
let owner: Owner;
let actor_id: string;

beforeAll(async () => {
  fixture = await ServedWebServices.start();
  owner = await fixture.owner();
  actor_id = await fixture.operator();
  const workspace =
    'INSERT INTO workspaces (id, name, created_at) SELECT workspace_id, $2, now() FROM projects WHERE id = $1';
  await fixture.pool.query(workspace, [owner.project_id, 'Acme 100%']);
}, 120_000);
afterAll(() => fixture?.stop());

const find = (search: string, page = {}) => fixture.client.request(findWebServices, { actor_id, search, ...page });

describe('the search of operators', () => {
  it('finds web services of all workspaces by name, custom domain, workspace and id, newest first', async () => {
    const name = `phish-${uuidv7().slice(-12)}`;
    const [{ id, url }, other] = [await fixture.create(owner, { name }), await fixture.create(owner)];
    await fixture.pool.query('INSERT INTO custom_domains (id, web_service_id, domain, token) VALUES ($1, $2, $3, $4)', [
      uuidv7(),
      id,
      `www.${name}.example`,
      'token',
    ]);
    const found = async (search: string) => (await find(search)).items.map(item => item.id);
    for (const search of [name.toUpperCase(), id, `https://www.${name}.example/login?next=/`])
      expect([search, await found(search)]).toEqual([search, [id]]);
    const page = await find('acme 100%', { limit: 1, offset: 1 });
    expect(page).toMatchObject({ total: 2, items: [{ id, name, url, workspace_name: 'Acme 100%', blocked: false }] });
    expect(await found(page.items[0]!.workspace_id)).toEqual([other.id, id]);
    expect(await found('_')).toEqual([]);
  });

  it('finds a web service by its URL, whose host name ends with the last digits of its id', async () => {
    const { id } = await fixture.create(owner);
    const url = `http://web-${id.slice(-8)}.apps.example.com:8080/`;
    expect(await find(url)).toMatchObject({ total: 1, items: [{ id }] });
  });

  it('is for operators only', () =>
    expect(fixture.client.request(findWebServices, { actor_id: owner.user_id })).rejects.toMatchObject({
      code: 'not_an_operator',
    }));
});
