import { describe, expect, it } from '@jest/globals';
import { answerOf, type Mistake } from './mistake.js';
import { sharedPlatform } from './stories.js';

const platform = await sharedPlatform();
const { world } = platform;
const shop = await world.sender('Mistakes in calls of the platform');

const UNKNOWN_ID = '0198f3a0-0000-7000-8000-000000000000';

const asProgram = (method: string, path: string, body?: unknown) => platform.writer.call(method, path, body);

const PLATFORM_KINDS =
  'Keys that begin with em_live_ are for POST /emails; the platform API needs a key that begins with ak_live_.';

const MISTAKES: readonly Mistake[] = [
  [
    'no key',
    () => world.call('GET', '/api/v1/projects'),
    401,
    'platform_key_missing',
    'The Authorization header is missing. Send a platform key as "Authorization: Bearer ak_live_…".',
  ],
  [
    'the key as Api-Key',
    () => world.call('GET', '/api/v1/projects', { headers: { 'api-key': platform.writer.key } }),
    401,
    'platform_key_missing',
    'The Authorization header is missing. The key is in the header Api-Key. Send a platform key as "Authorization: Bearer ak_live_…".',
  ],
  [
    'an email key',
    () => world.call('GET', '/api/v1/projects', { headers: { authorization: `Bearer ${shop.apiKey}` } }),
    401,
    'platform_key_invalid',
    `The Authorization header must be "Bearer ak_live_…" with a valid key. ${PLATFORM_KINDS}`,
  ],
  [
    'the number of lines by another name',
    () => asProgram('GET', `/web-services/${UNKNOWN_ID}/logs?lines=10`),
    400,
    'invalid_input',
    'Unknown field "lines". The number of lines is the field "tail".',
  ],
  [
    'no lines of a log',
    () => asProgram('GET', `/web-services/${UNKNOWN_ID}/logs?tail=0`),
    400,
    'invalid_input',
    'tail must be at least 1.',
  ],
  [
    'a time as text',
    () => asProgram('GET', `/web-services/${UNKNOWN_ID}/logs?since=2026-03-09T00:00:00Z`),
    400,
    'invalid_input',
    'since must be Unix seconds, such as 1767225600.',
  ],
  [
    'an id that is no UUID',
    () => asProgram('GET', '/projects/shop'),
    400,
    'invalid_input',
    'project_id must be a UUID.',
  ],
  [
    'an unknown id',
    () => asProgram('GET', `/web-services/${UNKNOWN_ID}`),
    404,
    'web_service_not_found',
    'There is no such web service.',
  ],
  ['an unknown path', () => asProgram('GET', '/apps'), 404, 'route_not_found', 'Not found: no route GET /api/v1/apps.'],
  [
    'an unknown field',
    () => asProgram('POST', '/projects', { name: 'Shop', colour: 'red' }),
    400,
    'invalid_input',
    'Unknown field "colour".',
  ],
];

describe('an invalid call of the platform API is answered with its status, code and message', () => {
  it.each(MISTAKES)('%s', async (_, call, status, code, message) =>
    expect(await answerOf(call)).toEqual([status, code, { detail: message }]),
  );

  it('a read-only key', async () => {
    const answer = await platform.reader.post('/projects', { name: 'Shop' });

    expect([answer.status, answer.headers.get('error-code'), answer.body]).toEqual([
      403,
      'insufficient_scope',
      { detail: { code: 'insufficient_scope', required: 'write', actual: 'read' } },
    ]);
  });
});
