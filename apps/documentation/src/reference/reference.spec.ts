import { describe, expect, it } from '@jest/globals';
import { requestOf } from './code-samples.js';
import { exampleBodyOf, exampleOf, type OpenApiDocument, typeName } from './open-api.js';
import { fieldsOf } from './tables.js';
import { urlWith } from './try-it.js';

const openApi: OpenApiDocument = {
  info: { title: 'API', version: '1' },
  paths: {},
  components: {
    schemas: {
      Address: { type: 'object', required: ['email'], properties: { email: { type: 'string', format: 'email' } } },
    },
  },
};
const address = { $ref: '#/components/schemas/Address' };

describe('the reference', () => {
  it('shows the fields of a referenced schema', () => {
    const rows = fieldsOf(openApi, { type: 'object', properties: { to: { type: 'array', items: address } } });
    expect(rows.map(({ name, required }) => [name, required])).toEqual([
      ['to', false],
      ['to[].email', true],
    ]);
  });

  it('suggests a body of a referenced schema', () => expect(exampleOf(openApi, address)).toEqual({ email: 'string' }));

  it('names alternatives', () =>
    expect(typeName(openApi, { anyOf: [{ type: 'string' }, { enum: ['sent', 'failed'] }] })).toBe(
      'string | "sent" | "failed"',
    ));
});

describe('the code sample of an operation', () => {
  const content = (example?: unknown) => ({ 'application/json': { schema: address, ...(example ? { example } : {}) } });
  const operation = (scheme: string, more = {}) => ({ security: [{ [scheme]: [] }], ...more });

  it('has the key of its API, and the names of the parameters of its path', () => {
    const located = { method: 'get', path: '/api/v1/projects/{project_id}', operation: operation('platformKey') };
    expect(requestOf(openApi, located, 'https://m.test')).toEqual({
      method: 'GET',
      url: 'https://m.test/api/v1/projects/PROJECT_ID',
      key: { header: 'Authorization', prefix: 'Bearer ', variable: 'POSTERN_PLATFORM_KEY' },
    });
    const email = { method: 'post', path: '/emails', operation: operation('apiKey') };
    expect(requestOf(openApi, email, '').key).toEqual({ header: 'Api-Key', prefix: '', variable: 'POSTERN_EMAIL_KEY' });
    const open = { method: 'post', path: '/password-reset', operation: {} };
    expect(requestOf(openApi, open, '')).not.toHaveProperty('key');
  });

  it('has the example of the document, otherwise one of the schema', () => {
    expect(exampleBodyOf(openApi, content({ email: 'ada@example.com' }))).toEqual({ email: 'ada@example.com' });
    expect(exampleBodyOf(openApi, content())).toEqual({ email: 'string' });
    expect(exampleBodyOf(openApi, { 'application/gzip': {} })).toBeUndefined();
    const more = { requestBody: { content: content({ email: 'ada@example.com' }) } };
    const located = { method: 'post', path: '/a', operation: operation('apiKey', more) };
    expect(JSON.parse(requestOf(openApi, located, '').body ?? '')).toEqual({ email: 'ada@example.com' });
  });
});

describe('a request to try', () => {
  const parameters = [
    { name: 'id', in: 'path' },
    { name: 'limit', in: 'query' },
    { name: 'after', in: 'query' },
  ];

  it('has the parameters that are filled in', () =>
    expect(urlWith('/emails/{id}', parameters, { id: 'a/b', limit: '5', after: '' })).toBe('/emails/a%2Fb?limit=5'));
});
