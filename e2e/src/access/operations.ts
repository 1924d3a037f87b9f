import * as contracts from '@postern/contracts';
import {
  BASE_PATHS,
  type HttpRoute,
  isRequestContract,
  type RequestContract,
  type RouteAccess,
  requiredRole,
  type WorkspaceRole,
} from '@postern/contracts';

/** The parts of a JSON schema that the samples use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Who may call an operation: the access of its contract, or the security of its OpenAPI entry. */
export type Access = RouteAccess | 'api-key';

/** One operation of an OpenAPI document, with what its contract declares. */
export interface Operation {
  readonly name: string;
  /** The resource type; platform keys are restricted to operations by it. */
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly access: Access;
  /** The role that a session needs in the workspace. */
  readonly role: WorkspaceRole;
  /** Whether the contract refuses users who are not operators. */
  readonly operatorsOnly: boolean;
  /** Whether operators reach the resources of all users. */
  readonly operatorsReachAll: boolean;
  /** Whether the contract refuses keys that are restricted to projects. */
  readonly refusesRestrictedKeys: boolean;
  /** Whether it concerns resources of the user, or names the workspace itself. */
  readonly ofUser: boolean;
  readonly pathParameters: readonly string[];
  readonly query: readonly { readonly name: string; readonly required: boolean; readonly schema: Schema }[];
  readonly body: Schema | undefined;
  readonly example: Readonly<Record<string, unknown>> | undefined;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[];
  readonly requestBody?: { content: { 'application/json'?: { schema: Schema; example?: Record<string, unknown> } } };
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

const DOCUMENTS = ['/openapi.json', '/dashboard/api/openapi.json'];

/** Every operation in both OpenAPI documents of a running Postern. */
export const operationsOf = async (baseUrl: string): Promise<readonly Operation[]> => {
  const declared = declaredRoutes();
  const found: Operation[] = [];
  for (const address of DOCUMENTS) {
    const { paths } = (await (await fetch(baseUrl + address)).json()) as OpenApiDocument;
    for (const [path, methods] of Object.entries(paths))
      for (const [method, operation] of Object.entries(methods))
        found.push(operationOf(method, path, operation, declared));
  }
  return found;
};

interface Declared {
  readonly contract: RequestContract;
  readonly route: HttpRoute;
  readonly access: RouteAccess;
}

/** The routes of the contracts by `<METHOD> <path>`. */
export const declaredRoutes = (): ReadonlyMap<string, Declared> =>
  new Map(
    Object.values<unknown>(contracts)
      .filter(isRequestContract)
      .flatMap(contract => contract.http.map(route => ({ contract, route })))
      .flatMap(({ contract, route }) =>
        [route.access].flat().map(access => {
          const key = `${route.method} ${BASE_PATHS[access]}${route.path}`;
          return [key, { contract, route, access }] as const;
        }),
      ),
  );

const operationOf = (
  lowerCaseMethod: string,
  path: string,
  { operationId, tags = [], security = [], parameters = [], requestBody }: DocumentedOperation,
  declared: ReadonlyMap<string, Declared>,
): Operation => {
  const method = lowerCaseMethod.toUpperCase();
  const found = declared.get(`${method} ${path}`);
  const access = found?.access;
  const json = requestBody?.content['application/json'];
  return {
    name: operationId,
    tag: tags[0] ?? '',
    method,
    path,
    access: access ?? documentedAccess(security),
    role: found && access !== 'anyone' ? requiredRole(found.route) : 'viewer',
    operatorsOnly: access === 'operator' || 'not_an_operator' in (found?.contract.refusals ?? {}),
    operatorsReachAll: access === 'operator' || found?.route.operatorsReachAll === true,
    refusesRestrictedKeys: 'operation_not_allowed' in (found?.contract.refusals ?? {}),
    ofUser: access === 'workspace-member' || (access === 'session' && !actsInWorkspace(found)),
    pathParameters: parameters.filter(one => one.in === 'path').map(({ name }) => name),
    query: parameters
      .filter(one => one.in === 'query')
      .map(({ name, required = false, schema }) => ({ name, required, schema })),
    body: json?.schema,
    example: json?.example,
  };
};

/** Whether the request takes the workspace from the session. */
const actsInWorkspace = (declared: Declared | undefined): boolean => {
  if (!declared || declared.route.fromBody?.includes('workspace_id')) return false;
  const { request } = declared.contract;
  return 'shape' in request && 'workspace_id' in (request.shape as object);
};

const documentedAccess = (security: NonNullable<DocumentedOperation['security']>): Access => {
  const schemes = security.flatMap(Object.keys);
  if (schemes.includes('apiKey')) return 'api-key';
  if (schemes.includes('platformKey')) return 'platform-key';
  return schemes.includes('bearer') ? 'session' : 'anyone';
};
