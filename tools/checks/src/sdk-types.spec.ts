import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { sdkTypes, type TypedDocument } from './sdk-types.js';

const ROOT = join(import.meta.dirname, '../../..');

/** Imported by path, because a tool is built without the apps that it checks. */
const load = (path: string): Promise<Record<string, (...given: unknown[]) => unknown>> =>
  import(join(ROOT, 'apps/api-gateway/src', path));

it('the types of the SDK match the OpenAPI document; `node tools/checks/sdk-types.mjs` writes them anew', async () => {
  const { PublicApiModule } = await load('public-api.module.ts');
  const { controllersOf } = await load('infrastructure/http/openapi/controllers-of.ts');
  const { publicApiDocument } = await load('infrastructure/http/openapi/documents.ts');
  const document = publicApiDocument!(controllersOf!(PublicApiModule), 'https://postern.example.com') as TypedDocument;
  expect(readFileSync(join(ROOT, 'libs/sdk/src/api-types.ts'), 'utf8')).toBe(sdkTypes(document));
});
