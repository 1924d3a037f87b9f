import { describe, expect, it } from '@jest/globals';
import { httpFindings } from './http-findings.js';
import type { HttpOperation, ReleaseContract } from './release-contract.js';

const PATH = 'GET /flour/{id}';
const BEFORE: HttpOperation = {
  operation: 'getFlour',
  access: ['platform-key viewer', 'platform-key member', 'session viewer'],
  request: {
    type: 'object',
    properties: { 'path id': { type: 'string' }, 'query limit': { type: 'integer', maximum: 100, default: 10 } },
    required: ['path id'],
    additionalProperties: false,
  },
  replies: { '200': { type: 'object', properties: { weight: { type: 'number' } }, required: ['weight'] } },
  errors: ['404 flour_not_found', '429 too_many_requests'],
};

const gateway = (version: string, http: ReleaseContract['http'], webhooks: ReleaseContract['webhooks'] = {}) => ({
  ...{ service: 'gateway', version, envelope: {}, publishes: {}, consumes: {}, consumers: {}, answers: {}, asks: {} },
  ...{ http, webhooks },
});
const texts = (http: ReleaseContract['http']) =>
  httpFindings(gateway('2', http), gateway('1', { [PATH]: BEFORE })).map(({ text }) => text);
const changed = (change: Partial<HttpOperation>) => texts({ [PATH]: { ...BEFORE, ...change } });
const about = (text: string) => `${PATH} (getFlour): ${text}`;

describe('an HTTP client of an earlier release', () => {
  it('does not notice new operations, parameters, fields and errors, and more access', () =>
    expect(
      texts({
        [PATH]: {
          ...BEFORE,
          access: [...BEFORE.access, 'session member'],
          request: {
            ...BEFORE.request,
            properties: { ...BEFORE.request.properties, 'query unit': { type: 'string' } },
          },
          replies: {
            '200': {
              type: 'object',
              properties: { weight: { type: 'number' }, unit: {} },
              required: ['weight', 'unit'],
            },
          },
          errors: [...BEFORE.errors, '409 mill_closed'],
        },
        'POST /flour': { ...BEFORE, operation: 'createFlour' },
      }),
    ).toEqual([]));

  it.each<[string, ReleaseContract['http'], string]>([
    [
      'an operation moves to another path',
      { 'GET /ground/{id}': BEFORE },
      'the new gateway moved it to GET /ground/{id}, and clients of gateway@1 call it. Keep answering it until gateway@1 is no longer supported.',
    ],
    [
      'an operation changes its method',
      { 'POST /flour/{id}': BEFORE },
      'the new gateway moved it to POST /flour/{id}, and clients of gateway@1 call it. Keep answering it until gateway@1 is no longer supported.',
    ],
    [
      'an operation is removed',
      {},
      'the new gateway no longer has it, and clients of gateway@1 call it. Keep answering it until gateway@1 is no longer supported.',
    ],
  ])('breaks if %s', (_, http, text) => expect(texts(http)).toEqual([about(text)]));

  const accept =
    'Accept what clients send: keep the field, its type, its limits and its default, and make new fields optional.';

  it.each<[string, Partial<HttpOperation>, string]>([
    [
      'a success has another status',
      { replies: { '201': BEFORE.replies['200'] ?? {} } },
      'the new gateway answers with 201, clients of gateway@1 know 200. Keep the status, which programs compare.',
    ],
    [
      'a credential is no longer accepted',
      { access: ['platform-key viewer', 'platform-key member'] },
      'the new gateway no longer accepts session viewer, with which clients of gateway@1 authenticate. Keep accepting it.',
    ],
    [
      'a role is no longer sufficient',
      { access: ['platform-key member', 'session viewer'] },
      'the new gateway no longer accepts platform-key viewer, with which clients of gateway@1 authenticate. Keep accepting it.',
    ],
    [
      'an error changes its status',
      { errors: ['410 flour_not_found', '429 too_many_requests'] },
      'the new gateway answers with 410 flour_not_found, clients of gateway@1 know 404 flour_not_found. Programs compare status and code: keep both.',
    ],
    [
      'an error code is removed',
      { errors: ['429 too_many_requests'] },
      'the new gateway never answers with 404 flour_not_found, which clients of gateway@1 know. Programs compare status and code: keep both.',
    ],
    [
      'a parameter is required',
      { request: { ...BEFORE.request, required: ['path id', 'query limit'] } },
      `field query limit: clients of gateway@1 send integer, not always, the new gateway requires integer. ${accept}`,
    ],
    [
      'a parameter is removed',
      { request: { ...BEFORE.request, properties: { 'path id': { type: 'string' } } } },
      `field query limit: clients of gateway@1 send integer, the new gateway accepts no other fields. ${accept}`,
    ],
    [
      'a default changes',
      {
        request: {
          ...BEFORE.request,
          properties: { 'path id': { type: 'string' }, 'query limit': { type: 'integer', maximum: 100, default: 20 } },
        },
      },
      `field query limit: clients of gateway@1 send nothing for the default 10, the new gateway uses the default 20. ${accept}`,
    ],
    [
      'a limit becomes narrower',
      {
        request: {
          ...BEFORE.request,
          properties: { 'path id': { type: 'string' }, 'query limit': { type: 'integer', maximum: 50, default: 10 } },
        },
      },
      `field query limit: clients of gateway@1 send maximum 100, the new gateway accepts maximum 50. ${accept}`,
    ],
    [
      'a field of the answer is removed',
      { replies: { '200': { type: 'object' } } },
      'field weight of the answer: the new gateway answers with nothing, clients of gateway@1 read number. Keep the field, and add new fields, which clients ignore.',
    ],
  ])('breaks if %s', (_, change, text) => expect(changed(change)).toEqual([about(text)]));

  it('breaks if a webhook call loses a field or is removed', () => {
    const before = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] };
    const between = (webhooks: ReleaseContract['webhooks']) =>
      httpFindings(gateway('2', {}, webhooks), gateway('1', {}, { delivered: before })).map(({ text }) => text);
    expect(between({ delivered: before, opened: before })).toEqual([]);
    expect(between({ delivered: { type: 'object' } })).toEqual([
      'webhook delivered: field to: the new gateway sends nothing, receivers of gateway@1 read string. Keep it, and add a new kind of event.',
    ]);
    expect(between({})).toEqual([
      'webhook delivered: the new gateway no longer sends it, and receivers of gateway@1 expect it. Keep it, and add a new kind of event.',
    ]);
  });
});
