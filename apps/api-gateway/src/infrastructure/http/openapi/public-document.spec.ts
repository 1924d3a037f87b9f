import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { PublicApiModule } from '../../../public-api.module.js';
import { type DescribedDocument, descriptionGapsOf } from '../../../testing/description-gaps.js';
import { controllersOf } from './controllers-of.js';
import { publicApiDocument } from './documents.js';

interface AlternativeBody {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
  readonly additionalProperties: boolean;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly required: boolean; readonly schema: object }[];
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly headers?: { readonly 'Error-Code'?: { readonly schema: { readonly enum: readonly string[] } } };
      }
    >
  >;
}

const document = publicApiDocument(controllersOf(PublicApiModule), 'https://postern.example.com');
const described = document as unknown as DescribedDocument;
const operationsIn = (items: DescribedDocument['paths'] = {}) =>
  Object.values(items).flatMap(methods => Object.values(methods));
const operations = operationsIn(described.paths);

describe('the OpenAPI document of the public API', () => {
  it('describes every operation, parameter, response, header and field, and contains an example of every body', () =>
    expect(descriptionGapsOf(described)).toEqual([]));

  it('is reported if a description is missing', () => {
    const planted = structuredClone(described) as {
      -readonly [Part in keyof DescribedDocument]: DescribedDocument[Part];
    };
    planted.components = { schemas: { Planted: { properties: { field: { items: { properties: { inner: {} } } } } } } };
    expect(descriptionGapsOf(planted)).toEqual(['Planted.field', 'Planted.field.inner']);
  });

  it('contains only the email API and the platform API', () =>
    expect(
      Object.keys(described.paths).filter(
        path => !/^\/(emails|scheduled-emails|webhook-listeners|api\/v1)(\/|$)/.test(path),
      ),
    ).toEqual([]));

  it('has unique operation ids that are valid method names', () => {
    const ids = [...operations, ...operationsIn(described.webhooks)].map(({ operationId }) => operationId);
    expect(ids.filter(id => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(['sendEmail', 'getEmail', 'createDeployment', 'listProjects']));
  });

  it('has an exclusive union of emails with message and optional text, with text only, and with a template', () => {
    const [html, text, template] = (bodyOf('sendEmail')?.oneOf ?? []) as AlternativeBody[];
    expect([html?.required, text?.required, template?.required]).toEqual([
      ['from', 'to', 'subject', 'message'],
      ['from', 'to', 'subject', 'text'],
      ['from', 'to', 'template'],
    ]);
    for (const alternative of [html, text, template]) expect(alternative?.additionalProperties).toBe(false);
    expect(Object.keys(html?.properties ?? {})).toEqual(expect.arrayContaining(['message', 'text']));
    expect(Object.keys(text?.properties ?? {})).not.toContain('message');
    for (const name of ['subject', 'message', 'text'])
      expect(Object.keys(template?.properties ?? {})).not.toContain(name);
  });

  it.each([
    ['getLogs', 'tail', { default: 100, minimum: 1, maximum: 10_000 }],
    ['getMetricsHistory', 'period', { default: 3_600, minimum: 60, maximum: 604_800 }],
    ['listDeployments', 'limit', { default: 10, minimum: 1, maximum: 100 }],
    ['listDeployments', 'offset', { default: 0, minimum: 0 }],
    ['listDatabases', 'limit', { default: 50, minimum: 1, maximum: 100 }],
    ['listDatabases', 'offset', { default: 0, minimum: 0 }],
    ['followLogs', 'tail', { default: 100, minimum: 1, maximum: 1_000 }],
  ])('has the default and the bounds of the query parameter: %s %s', (operationId, name, expected) => {
    expect(parameterOf(operationId, name)).toMatchObject({ required: false, schema: { type: 'integer', ...expected } });
  });

  it('has the limits of an email as schema', () => {
    const [html, text] = (bodyOf('sendEmail')?.oneOf ?? []) as AlternativeBody[];
    for (const { properties = {} } of [html ?? {}, text ?? {}]) {
      expect(properties).toMatchObject({
        to: { minItems: 1, maxItems: 50 },
        cc: { maxItems: 50 },
        bcc: { maxItems: 50 },
        subject: { maxLength: 998, pattern: '^[^\\r\\n]*$' },
        headers: {
          maxProperties: 50,
          propertyNames: { pattern: '^[Xx]-[A-Za-z0-9-]{1,70}$' },
          additionalProperties: { maxLength: 998, pattern: '^[^\\r\\n]*$' },
        },
      });
    }
  });

  it('has the Idempotency-Key, and the words about an unknown outcome, at exactly the calls that write', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods) as [string, DescribedOperation][]) {
        const key = operation.parameters?.find(({ name }) => name === 'Idempotency-Key');
        expect([path, method, key?.schema]).toEqual([
          path,
          method,
          method === 'get' ? undefined : { type: 'string', minLength: 1, maxLength: 255 },
        ]);
        const codes = codesOf(operation, 503);
        expect([path, method, codes.includes('outcome_unknown')]).toEqual([
          path,
          method,
          path === '/emails/{id}' || method !== 'get',
        ]);
        if (method !== 'get') expect(codesOf(operation, 409)).toContain('idempotency_key_reused');
      }
    }
  });

  it('names each reason of a response once, and no reason that the call cannot have', () => {
    for (const { responses } of operations as unknown as DescribedOperation[]) {
      for (const { description } of Object.values(responses)) {
        const codes = description.match(/`[a-z_]+`/g) ?? [];
        expect([description, new Set(codes).size]).toEqual([description, codes.length]);
      }
    }
    const sending = document.paths['/emails']?.['post'] as DescribedOperation;
    expect(Object.keys(sending.responses)).not.toContain('404');
  });

  it('has no bounds of the integers of JavaScript, and no negative limits of databases', () => {
    expect(JSON.stringify(document)).not.toContain('9007199254740991');
    const { Database } = (document['components'] as { schemas: Record<string, object> }).schemas;
    expect(Database).toMatchObject({
      properties: { limits: { properties: { cpu_millicores: { minimum: 0 }, connections: { minimum: 0 } } } },
    });
  });

  it('has every status that a webhook may answer with', () => {
    for (const { responses } of operationsIn(described.webhooks) as unknown as DescribedOperation[])
      expect(Object.keys(responses)).toEqual(['2XX', '3XX', '4XX', '5XX']);
  });

  it('has a webhook for each kind of event, with the headers of the signature', () => {
    expect(Object.keys(described.webhooks ?? {})).toEqual(['delivered', 'bounced', 'complained', 'opened', 'clicked']);
    for (const { parameters = [] } of operationsIn(described.webhooks))
      expect(parameters.map(({ name }) => name)).toEqual(['X-Service-Timestamp', 'X-Service-Signature']);
  });
});

const parameterOf = (operationId: string, name: string) =>
  (operations as unknown as DescribedOperation[])
    .find(operation => operation.operationId === operationId)
    ?.parameters?.find(parameter => parameter.name === name);

const codesOf = ({ responses }: DescribedOperation, status: number): readonly string[] =>
  responses[status]?.headers?.['Error-Code']?.schema.enum ?? [];

const bodyOf = (operationId: string) =>
  operations.find(operation => operation.operationId === operationId)?.requestBody?.content['application/json']?.schema;
