import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as contracts from '@postern/contracts';
import {
  createWorkspace,
  isRequestContract,
  listProjects,
  listVariables,
  listWebServices,
  type RequestContract,
  setVariable,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { codeOf } from '../testing/accounts-fixture.js';
import type { Caller } from '../testing/caller.js';
import { ResourcesFixture } from '../testing/resources-fixture.js';

let resources: ResourcesFixture;
/** The same user in another workspace. */
let elsewhere: Caller;
let project_id: string;
let web_service_id: string;
beforeAll(async () => {
  resources = await ResourcesFixture.start();
  const { user_id } = resources.user;
  elsewhere = { user_id, workspace_id: (await resources.request(createWorkspace, { user_id, name: 'Staging' })).id };
  project_id = await resources.newProject();
  ({ web_service_id } = await resources.newService(project_id));
}, 120_000);
afterAll(() => resources?.stop());

/** All requests about projects or web services that users or platform keys can send, also on routes without a contract. */
const OPERATIONS = Object.values<unknown>(contracts)
  .filter(isRequestContract)
  .filter(({ service, callers }) => service === 'platform-management' && callers.includes('api-gateway'))
  .filter(({ http }) => !http.some(({ access }) => [access].flat().includes('operator')))
  .flatMap(contract => {
    const fields = contract.request instanceof z.ZodObject ? Object.keys(contract.request.shape) : [];
    const about = ['database_id', 'web_service_id', 'project_id'].find(field => fields.includes(field));
    return about ? [{ name: contract.name, contract, about, hasMore: fields.includes('deployment_id') }] : [];
  });

const inputOf = ({ http }: RequestContract): object => ({
  ...(http[0]?.examples?.body as object | undefined),
  project_id,
  web_service_id,
  attachment_id: uuidv7(),
  backup_id: uuidv7(),
  cron_job_id: uuidv7(),
  database_id: uuidv7(),
  deployment_id: uuidv7(),
  domain_id: uuidv7(),
  drain_id: uuidv7(),
  file_id: uuidv7(),
  run_id: uuidv7(),
  var_id: uuidv7(),
  secret_id: uuidv7(),
  upload_id: uuidv7(),
  digest: '0'.repeat(64),
  size_bytes: 1,
  tail: 1,
  max_lines: 1,
  max_bytes: 1,
  columns: 80,
  rows: 24,
});

/** Sends only the fields of the contract, because strict requests refuse others. */
const request = (contract: RequestContract, caller: object) => {
  const shape = (contract.request as z.ZodObject).shape;
  const known = Object.entries({ ...inputOf(contract), ...caller }).filter(([field]) => field in shape);
  return resources.request(contract, Object.fromEntries(known) as never);
};

const NOT_FOUND: Readonly<Record<string, string>> = {
  database_id: 'database_not_found',
  web_service_id: 'web_service_not_found',
  project_id: 'project_not_found',
};

describe('from another workspace of the same user', () => {
  it('there are at least twenty operations on projects and web services', () =>
    expect(OPERATIONS.length).toBeGreaterThanOrEqual(20));

  it.each(OPERATIONS)('$name does not find the resource', async ({ contract, about }) =>
    expect(await codeOf(request(contract, elsewhere))).toBe(NOT_FOUND[about]),
  );

  it('lists are empty', async () => {
    expect(await resources.request(listProjects, elsewhere)).toEqual([]);
    expect(await resources.request(listWebServices, elsewhere)).toEqual([]);
  });
});

describe('with a key that is restricted to another project', () => {
  const restricted = () => ({ ...resources.user, project_ids: [uuidv7()] });

  it.each(OPERATIONS)('$name does not find the resource', async ({ contract, about }) =>
    expect(await codeOf(request(contract, restricted()))).toBe(NOT_FOUND[about]),
  );

  it('lists are empty', async () => {
    expect(await resources.request(listProjects, restricted())).toEqual([]);
    expect(await resources.request(listWebServices, restricted())).toEqual([]);
  });
});

describe('in their own workspace', () => {
  it('resources are found, also with a key that is restricted to their project', async () => {
    for (const caller of [resources.user, { ...resources.user, project_ids: [project_id] }]) {
      expect(await resources.request(listProjects, caller)).toMatchObject([{ id: project_id }]);
      await resources.request(setVariable, { ...caller, web_service_id, key: 'MODE', value: 'fast' });
      expect(await resources.request(listVariables, { ...caller, web_service_id })).toHaveLength(1);
    }
  });

  it('only the workspace of the caller counts', async () => {
    const { workspace_id } = resources.user;
    const member = { user_id: resources.stranger.user_id, workspace_id };
    expect(await resources.request(listVariables, { ...member, web_service_id })).toHaveLength(1);
    expect(await codeOf(resources.request(listVariables, { ...resources.stranger, web_service_id }))).toBe(
      'web_service_not_found',
    );
  });
});
