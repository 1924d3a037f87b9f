import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import * as contracts from './index.js';
import { OPERATIONS, type RequestContract, SERVICE_NAMES } from './index.js';

const SNAPSHOTS = join(import.meta.dirname, '../snapshots/requests');
const fileOf = (service: string) => join(SNAPSHOTS, `${service}.json`);

const isRequest = (value: unknown): value is RequestContract =>
  typeof value === 'object' && value !== null && 'subject' in value && 'request' in value;

const SERVICES = [...SERVICE_NAMES, 'runtime-agent'] as const;

const requestsOf = (service: (typeof SERVICES)[number]): readonly RequestContract[] =>
  [
    ...Object.values<unknown>(contracts).filter(isRequest),
    ...Object.values<RequestContract>(OPERATIONS[service] ?? {}),
  ].filter(request => request.service === service);

const shapesOf = (requests: readonly RequestContract[]) =>
  Object.fromEntries(
    [...requests]
      .sort((a, b) => a.name.localeCompare(b.name))
      .map(({ name, request, reply, refusals }) => [
        name,
        { request: z.toJSONSchema(request, { io: 'input' }), reply: z.toJSONSchema(reply), refusals },
      ]),
  );

const textOf = (requests: readonly RequestContract[]) => `${JSON.stringify(shapesOf(requests), null, 2)}\n`;

/** For a change that every released asker and answerer can live with: run once with this set, and review the diff. */
if (process.env['POSTERN_WRITE_SNAPSHOTS']) {
  mkdirSync(SNAPSHOTS, { recursive: true });
  for (const service of SERVICES) writeFileSync(fileOf(service), textOf(requestsOf(service)));
}

describe.each(SERVICES)('the requests that %s answers', service => {
  it('have the shapes that were reviewed', () =>
    expect(JSON.parse(textOf(requestsOf(service)))).toEqual(JSON.parse(readFileSync(fileOf(service), 'utf8'))));

  it('have names of their own', () => {
    const names = requestsOf(service).map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});
