/** `node tools/checks/sdk-types.mjs`: generates the types of the SDK from the OpenAPI document of the built gateway. */
import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sdkTypes } from './dist/sdk-types.js';

const ROOT = join(import.meta.dirname, '../..');
const GATEWAY = join(ROOT, 'apps/api-gateway/dist');

const { PublicApiModule } = await import(join(GATEWAY, 'public-api.module.js'));
const { controllersOf } = await import(join(GATEWAY, 'infrastructure/http/openapi/controllers-of.js'));
const { publicApiDocument } = await import(join(GATEWAY, 'infrastructure/http/openapi/documents.js'));
const document = publicApiDocument(controllersOf(PublicApiModule), 'https://postern.example.com');
writeFileSync(join(ROOT, 'libs/sdk/src/api-types.ts'), sdkTypes(document));
