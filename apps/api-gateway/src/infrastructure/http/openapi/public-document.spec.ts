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
    expect(Object.keys(described.paths).filter(path => !/^\/(emails|api\/v1)(\/|$)/.test(path))).toEqual([]));

  it('has unique operation ids that are valid method names', () => {
    const ids = [...operations, ...operationsIn(described.webhooks)].map(({ operationId }) => operationId);
    expect(ids.filter(id => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(['sendEmail', 'getEmail', 'createDeployment', 'listProjects']));
  });

  it('has an exclusive union of emails with message and optional text, and emails with text only', () => {
    const [html, text] = (bodyOf('sendEmail')?.oneOf ?? []) as AlternativeBody[];
    expect([html?.required, text?.required]).toEqual([
      ['from', 'to', 'subject', 'message'],
      ['from', 'to', 'subject', 'text'],
    ]);
    expect([html, text].map(alternative => alternative?.additionalProperties)).toEqual([false, false]);
    expect(Object.keys(html?.properties ?? {})).toEqual(expect.arrayContaining(['message', 'text']));
    expect(Object.keys(text?.properties ?? {})).not.toContain('message');
  });

  it('has a webhook for each kind of event, with the headers of the signature', () => {
    expect(Object.keys(described.webhooks ?? {})).toEqual(['delivered', 'bounced', 'complained', 'opened', 'clicked']);
    for (const { parameters = [] } of operationsIn(described.webhooks))
      expect(parameters.map(({ name }) => name)).toEqual(['X-Service-Timestamp', 'X-Service-Signature']);
  });
});

const bodyOf = (operationId: string) =>
  operations.find(operation => operation.operationId === operationId)?.requestBody?.content['application/json']?.schema;
