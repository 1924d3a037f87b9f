import 'reflect-metadata';
import { WORKSPACE_ROLES } from '@postern/contracts';
import { controllersOf } from './infrastructure/http/openapi/controllers-of.js';
import {
  dashboardApiDocument,
  type OpenApiDocument,
  publicApiDocument,
} from './infrastructure/http/openapi/documents.js';
import { type Operation, operationsOf } from './infrastructure/http/openapi/operations.js';
import { PublicApiModule } from './public-api.module.js';

/** An OpenAPI document, and who may call each operation: `GET /path` with `session member`. */
export interface DescribedApi {
  readonly document: OpenApiDocument;
  readonly access: Readonly<Record<string, readonly string[]>>;
}

/** Every role that may call the operation, so that a route that permits more roles still permits the earlier ones. */
const accessOf = ({ admission: { access, role } }: Operation): readonly string[] =>
  role === undefined
    ? [access]
    : WORKSPACE_ROLES.slice(WORKSPACE_ROLES.indexOf(role)).map(permitted => `${access} ${permitted}`);

/** The APIs of the gateway, which the release tools compare with those of earlier releases. */
export const describedApis = (): readonly DescribedApi[] => {
  const controllers = controllersOf(PublicApiModule);
  const operations = controllers.flatMap(operationsOf);
  const access = Object.fromEntries(
    operations.map(operation => [`${operation.method.toUpperCase()} ${operation.path}`, accessOf(operation)]),
  );
  return [publicApiDocument, dashboardApiDocument].map(document => ({
    document: document(controllers, 'https://postern.example.com'),
    access,
  }));
};
