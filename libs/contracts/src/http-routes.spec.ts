import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import * as contracts from './index.js';
import { BASE_PATHS, CALLER_FIELDS, type CallerField, isRequestContract, pathParametersOf } from './index.js';

const routes = Object.values<unknown>(contracts)
  .filter(isRequestContract)
  .flatMap(contract => contract.http.map(route => ({ name: route.operation, contract, route })));

const fieldsOf = (schema: z.ZodType): readonly string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

describe.each(routes)('the route $name', ({ contract, route }) => {
  const access = [route.access].flat();

  it('takes only fields of its request', () => {
    const { path, fixed, fromCaller, fromBody = [], narrowed, bodyField } = route;
    const used = [
      ...pathParametersOf(path),
      ...fromBody,
      ...[fixed, fromCaller, narrowed].flatMap(fields => Object.keys(fields ?? {})),
    ];
    expect(fieldsOf(contract.request)).toEqual(expect.arrayContaining([...used, ...(bodyField ? [bodyField] : [])]));
  });

  it('never takes the caller from the path', () =>
    expect(pathParametersOf(route.path).filter(name => name in CALLER_FIELDS)).toEqual([]));

  it('requires the email address of the caller only if there is a session', () =>
    expect(access.includes('platform-key') && Object.values(route.fromCaller ?? {}).includes('email')).toBe(false));

  it('takes no credential from a client that sends none, and the address only of such a client', () => {
    const taken: readonly (CallerField | undefined)[] = Object.values(route.fromCaller ?? {});
    const known = fieldsOf(contract.request).filter(field => field in CALLER_FIELDS);
    if (access.includes('anyone')) expect([known, taken.filter(from => from !== 'clientAddress')]).toEqual([[], []]);
    else expect(taken).not.toContain('clientAddress');
  });

  it('is answered with the admission only if it reads and platform keys may call it, once for a request', () => {
    if (!route.withAdmission) return;
    expect([contract.service, route.method]).toEqual(['platform-management', 'GET']);
    expect(access).toContain('platform-key');
    expect(contract.http.filter(({ withAdmission }) => withAdmission)).toEqual([route]);
    expect([contract.deadlineMs, route.upsert, route.urlField]).toEqual([5_000, undefined, undefined]);
  });

  it('names the email service if only its owner may call it', () =>
    expect(!access.includes('service-owner') || route.path.includes('{service_id}')).toBe(true));

  it('has a resource and whether it was created in the reply of an upsert', () =>
    expect(fieldsOf(contract.reply)).toEqual(
      expect.arrayContaining(route.upsert ? [route.upsert.resource, 'created'] : []),
    ));
});

describe('the examples of a route', () => {
  it.each(routes.filter(({ route }) => route.examples))('have the shapes of $name', ({ contract, route }) => {
    const { body, reply } = route.examples ?? {};
    const resource = route.upsert?.resource;
    const shape = resource ? (contract.reply as z.ZodObject).shape[resource] : contract.reply;
    expect(z.safeParse(shape, reply).error).toBeUndefined();
    const input = (contract.request as z.ZodObject).partial().strict();
    if (body !== undefined) expect(z.safeParse(input, body).error).toBeUndefined();
  });

  it('are given for every route of the platform API', () =>
    expect(
      routes
        .filter(({ route }) => [route.access].flat().includes('platform-key'))
        .filter(({ route }) => !route.examples?.reply)
        .map(({ name }) => name),
    ).toEqual([]));
});

describe('routes', () => {
  const places = routes.flatMap(({ name, route }) =>
    [route.access].flat().map(access => ({ base: BASE_PATHS[access], name, place: `${route.method} ${route.path}` })),
  );

  it.each([...new Set(Object.values(BASE_PATHS))])('below %s have different methods or paths, and operations', base => {
    const here = places.filter(one => one.base === base);
    expect(new Set(here.map(({ place }) => place.replace(/\{\w+\}/g, '{}'))).size).toBe(here.length);
    expect(new Set(here.map(({ name }) => name)).size).toBe(here.length);
  });

  it('name their operation <Tag>.<action>', () => {
    for (const { name } of routes) expect(name).toMatch(/^[A-Z][A-Za-z]+\.[a-z][A-Za-z]+$/);
  });
});
