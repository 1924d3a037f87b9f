import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { LogPageQuery, Runtime } from '@postern/runtime';
import type { Database } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { OWNER, ofService } from '../../testing/fake-neighbours.js';
import { WebServicesFixture } from '../../testing/web-services-fixture.js';
import type { WebServices } from '../services/web-services.projection.js';
import { FollowRun } from './follow-run.js';
import { instanceOf, Runs } from './runs.js';

const owners = { requireOwner: async () => ({ userId: OWNER }) } as unknown as WebServices;
const unlimited = { lock: 'instances', check: async () => undefined };
const release = { artefact: { reference: 'artefact-d1', commit: 'commit-d1' } };

let fixture: WebServicesFixture;
let runs: Runs;
const lines: string[] = [];
const queries: LogPageQuery[] = [];
const runtime = {
  logPage: async (_: string, query: LogPageQuery) => {
    queries.push(query);
    const from = Number(query.after?.slice(2) ?? 0);
    const page = lines.slice(from, from + query.maxLines).map((message, index) => ({
      ...{ id: `1-${from + index + 1}`, timestamp: new Date(), stream: 'stdout' as const, message },
      instance: query.instance!,
    }));
    const next = from + page.length;
    return { lines: page, next: `1-${next}`, hasMore: next < lines.length, isIncomplete: false };
  },
} as unknown as Runtime;

beforeAll(async () => {
  fixture = await WebServicesFixture.start();
  runs = new Runs({ pool: fixture.pool } as Database);
}, 120_000);
afterAll(() => fixture?.stop());

it('The output of a run can be followed from its first line until it has ended', async () => {
  const { id: webServiceId } = await fixture.runningService(await fixture.replica());
  const { id, createdAt } = await runs.create(unlimited, { id: uuidv7(), webServiceId, command: 'seed', release });
  const read = (after?: string, run_id = id) =>
    new FollowRun(owners, runs, runtime).execute({
      ...{ ...ofService(webServiceId), run_id, max_lines: 2, max_bytes: 1_000 },
      ...(after !== undefined && { after }),
    });
  expect(await read()).toEqual({ lines: [], next: '1-0', has_more: false, is_incomplete: false, is_over: false });
  expect(queries[0]).toMatchObject({ instance: instanceOf(id), since: createdAt.getTime() / 1_000 - 60 });

  lines.push('one', 'two', 'three');
  await runs.finish(id, { status: 'succeeded', exitCode: 0, reason: null });
  const first = await read('1-0');
  expect(first).toMatchObject({ lines: [{ message: 'one' }, { message: 'two' }], has_more: true, is_over: false });
  expect(await read(first.next)).toMatchObject({ lines: [{ message: 'three' }], has_more: false, is_over: true });
  await expect(read(undefined, OWNER)).rejects.toMatchObject({ code: 'run_not_found' });
}, 60_000);
