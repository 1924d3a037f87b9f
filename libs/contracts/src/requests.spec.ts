import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import * as contracts from './index.js';
import { EVENT_FEEDS, isRequestContract, OPERATIONS, type RequestContract, SERVICE_NAMES } from './index.js';

const SNAPSHOTS = join(import.meta.dirname, '../snapshots/requests');
const fileOf = (service: string) => join(SNAPSHOTS, `${service}.json`);

const SERVICES = [...SERVICE_NAMES, 'runtime-agent'] as const;

const requestsOf = (service: (typeof SERVICES)[number]): readonly RequestContract[] =>
  [
    ...Object.values<unknown>(contracts).filter(isRequestContract),
    ...Object.values<RequestContract>(OPERATIONS[service] ?? {}),
    ...EVENT_FEEDS,
  ].filter(request => request.service === service);

const shapesOf = (requests: readonly RequestContract[]) =>
  Object.fromEntries(
    [...requests]
      .sort((a, b) => a.name.localeCompare(b.name))
      .map(({ name, request, reply, refusals }) => [
        name,
        {
          request: z.toJSONSchema(request, { io: 'input' }),
          reply: z.toJSONSchema(reply),
          refusals: Object.keys(refusals),
        },
      ]),
  );

const textOf = (requests: readonly RequestContract[]) => `${JSON.stringify(shapesOf(requests), null, 2)}\n`;

/** To accept a change that is compatible with every release: run once with this set, and review the diff. */
if (process.env['POSTERN_WRITE_SNAPSHOTS']) {
  mkdirSync(SNAPSHOTS, { recursive: true });
  for (const service of SERVICES) writeFileSync(fileOf(service), textOf(requestsOf(service)));
}

describe.each(SERVICES)('the requests that %s handles', service => {
  it('have the shapes that were reviewed', () =>
    expect(JSON.parse(textOf(requestsOf(service)))).toEqual(JSON.parse(readFileSync(fileOf(service), 'utf8'))));

  it('have different names', () => {
    const names = requestsOf(service).map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});

describe('a refusal code', () => {
  it('has the same HTTP status in every contract', () => {
    const statuses = new Map<string, number>();
    for (const { service, name, refusals } of SERVICE_NAMES.flatMap(requestsOf)) {
      for (const [code, status] of Object.entries(refusals)) {
        const known = statuses.get(code) ?? status;
        expect(`${service}.${name} ${code} ${status}`).toBe(`${service}.${name} ${code} ${known}`);
        statuses.set(code, known);
      }
    }
    expect(statuses.size).toBeGreaterThan(50);
  });
});
