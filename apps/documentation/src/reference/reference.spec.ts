import { describe, expect, it } from '@jest/globals';
import { exampleOf, type OpenApiDocument, typeName } from './open-api.js';
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

describe('a request to try', () => {
  const parameters = [
    { name: 'id', in: 'path' },
    { name: 'limit', in: 'query' },
    { name: 'after', in: 'query' },
  ];

  it('has the parameters that are filled in', () =>
    expect(urlWith('/emails/{id}', parameters, { id: 'a/b', limit: '5', after: '' })).toBe('/emails/a%2Fb?limit=5'));
});
