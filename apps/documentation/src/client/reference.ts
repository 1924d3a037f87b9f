import './site.js';
import { byId, element } from './element.js';
import { type OpenApiDocument, type Operation, type Parameter, resolve } from './open-api.js';
import { bodyOf, fieldTable, parameterTable } from './reference-tables.js';
import { credentialForm, tryIt } from './try-it.js';

/** An operation with the place where the document has it. */
export interface LocatedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const operationsOf = (paths: OpenApiDocument['paths']): readonly LocatedOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap(method => {
      const operation = item[method];
      return operation ? [{ method, path, operation }] : [];
    }),
  );

const anchorOf = ({ method, path, operation }: LocatedOperation): string =>
  operation.operationId ?? `${method}-${path.replace(/[^a-z0-9]+/gi, '-')}`;

const answers = (openApi: OpenApiDocument, operation: Operation): HTMLElement =>
  element(
    'div',
    {},
    element('h4', {}, 'Responses'),
    ...Object.entries(operation.responses ?? {}).map(([status, reference]) => {
      const answer = resolve(openApi, reference);
      const body = bodyOf(openApi, answer.content);
      return element(
        'details',
        {},
        element('summary', {}, element('strong', {}, status), ` ${answer.description ?? ''}`),
        ...(body ? [fieldTable(openApi, body)] : []),
      );
    }),
  );

const section = (openApi: OpenApiDocument, located: LocatedOperation, canBeTried: boolean): HTMLElement => {
  const { method, path, operation } = located;
  const parameters = (operation.parameters ?? []).map(parameter => resolve<Parameter>(openApi, parameter));
  const body = bodyOf(openApi, operation.requestBody?.content);
  const id = anchorOf(located);
  return element(
    'section',
    { class: 'operation' },
    element(
      'h3',
      { id },
      operation.summary ?? `${method.toUpperCase()} ${path}`,
      ' ',
      element('a', { class: 'anchor', href: `#${id}`, 'aria-label': `Link to ${operation.summary ?? path}` }, '#'),
    ),
    element(
      'p',
      { class: 'endpoint' },
      element('span', { class: `method ${method}` }, method.toUpperCase()),
      ' ',
      element('code', {}, path),
    ),
    ...(operation.description ?? '').split('\n\n').map(text => element('p', {}, text)),
    ...(parameters.length > 0 ? [element('h4', {}, 'Parameters'), parameterTable(openApi, parameters)] : []),
    ...(body ? [element('h4', {}, 'Body'), fieldTable(openApi, body)] : []),
    answers(openApi, operation),
    ...(canBeTried ? [tryIt(openApi, located, parameters, body)] : []),
  );
};

const render = (openApi: OpenApiDocument): readonly HTMLElement[] => {
  const operations = operationsOf(openApi.paths);
  const tags = [...new Set(operations.map(({ operation }) => operation.tags?.[0] ?? 'General'))];
  const groups = tags.flatMap(tag => [
    element('h2', { id: tag.toLowerCase().replaceAll(' ', '-') }, tag),
    ...(openApi.tags ?? [])
      .filter(({ name }) => name === tag)
      .map(({ description }) => element('p', {}, description ?? '')),
    ...operations
      .filter(({ operation }) => (operation.tags?.[0] ?? 'General') === tag)
      .map(located => section(openApi, located, true)),
  ]);
  const webhooks = operationsOf(openApi.webhooks ?? {});
  return [
    element('p', {}, openApi.info.description ?? ''),
    element('p', {}, 'The same as an ', element('a', { href: documentUrl }, 'OpenAPI 3.1 document'), '.'),
    credentialForm(),
    ...groups,
    ...(webhooks.length > 0 ? [element('h2', { id: 'webhooks' }, 'Webhooks')] : []),
    ...webhooks.map(located => section(openApi, located, false)),
  ];
};

const place = byId('reference');
const documentUrl = place.dataset['document'] ?? '';

try {
  const answer = await fetch(documentUrl);
  if (!answer.ok) throw new Error(`${documentUrl} answered ${answer.status}`);
  place.replaceChildren(...render((await answer.json()) as OpenApiDocument));
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
} catch (error) {
  place.replaceChildren(
    element(
      'p',
      { role: 'alert' },
      `The reference could not be loaded. Reload the page. (${(error as Error).message})`,
    ),
  );
}
