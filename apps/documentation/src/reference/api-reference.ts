import { defineComponent, h, nextTick, onMounted, ref, shallowRef, type VNode } from 'vue';
import { CodeSamples } from './code-samples.js';
import { Collapsed } from './collapsed.js';
import {
  bodyOf,
  type LocatedOperation,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  resolve,
  statedExampleOf,
} from './open-api.js';
import { fieldTable, parameterTable } from './tables.js';
import { inline, paragraphs } from './text.js';
import { credentialForm, TryIt } from './try-it.js';

const anchorOf = ({ method, path, operation }: LocatedOperation): string =>
  operation.operationId ?? `${method}-${path.replace(/[^a-z0-9]+/gi, '-')}`;

const nameOf = ({ method, path, operation }: LocatedOperation): string =>
  operation.summary ?? `${method.toUpperCase()} ${path}`;

const responses = (openApi: OpenApiDocument, operation: Operation): VNode[] =>
  Object.entries(operation.responses ?? {}).map(([status, reference]) => {
    const answer = resolve(openApi, reference);
    const body = bodyOf(openApi, answer.content);
    return h(Collapsed, null, {
      summary: () => [h('strong', status), ' ', inline(answer.description)],
      default: () => [...exampleAnswer(statedExampleOf(answer.content)), ...(body ? [fieldTable(openApi, body)] : [])],
    });
  });

const exampleAnswer = (example: unknown): VNode[] =>
  example === undefined ? [] : [h('p', 'Example:'), h('pre', { tabindex: 0 }, JSON.stringify(example, null, 2))];

const section = (openApi: OpenApiDocument, located: LocatedOperation, canBeTried: boolean): VNode => {
  const { method, path, operation } = located;
  const parameters = (operation.parameters ?? []).map(parameter => resolve(openApi, parameter));
  const body = bodyOf(openApi, operation.requestBody?.content);
  const id = anchorOf(located);
  return h('section', { class: 'operation' }, [
    h('h3', { id, tabindex: -1 }, [
      nameOf(located),
      ' ',
      h('a', { class: 'header-anchor', href: `#${id}`, 'aria-label': `Link to ${nameOf(located)}` }),
    ]),
    h('p', [h('strong', { class: 'method' }, method.toUpperCase()), ' ', h('code', path)]),
    paragraphs(operation.description),
    ...(parameters.length > 0 ? [h('h4', 'Parameters'), parameterTable(openApi, parameters)] : []),
    ...(body ? [h('h4', 'Body'), fieldTable(openApi, body)] : []),
    ...(canBeTried ? [h(CodeSamples, { openApi, located })] : []),
    h('h4', 'Responses'),
    ...responses(openApi, operation),
    canBeTried ? h(TryIt, { openApi, located, parameters }) : undefined,
  ]);
};

interface Group {
  readonly name: string;
  readonly description: string | undefined;
  readonly operations: readonly LocatedOperation[];
  readonly canBeTried: boolean;
}

/** The operations of each tag, then the webhooks. */
const groupsOf = (openApi: OpenApiDocument): readonly Group[] => {
  const tags = Map.groupBy(operationsOf(openApi.paths), ({ operation }) => operation.tags?.[0] ?? 'General');
  const webhooks = operationsOf(openApi.webhooks ?? {});
  return [
    ...[...tags].map(([name, operations]) => ({
      name,
      description: openApi.tags?.find(tag => tag.name === name)?.description,
      operations,
      canBeTried: true,
    })),
    ...(webhooks.length > 0
      ? [{ name: 'Webhooks', description: undefined, operations: webhooks, canBeTried: false }]
      : []),
  ];
};

const groupAnchor = ({ name }: Group): string => name.toLowerCase().replaceAll(' ', '-');

/** A collapsed list for each group, from which each operation is one step away. */
const contents = (groups: readonly Group[]): VNode =>
  h('nav', { 'aria-label': 'Operations' }, [
    ...groups.map(group =>
      h('details', [
        h('summary', group.name),
        h(
          'ul',
          group.operations.map(located => h('li', h('a', { href: `#${anchorOf(located)}` }, nameOf(located)))),
        ),
      ]),
    ),
  ]);

const reference = (openApi: OpenApiDocument, url: string): VNode[] => {
  const groups = groupsOf(openApi);
  return [
    paragraphs(openApi.info.description),
    h('p', ['The same as an ', h('a', { href: url, target: '_self' }, 'OpenAPI 3.1 document'), '.']),
    contents(groups),
    credentialForm(),
    ...groups.flatMap(group => [
      h('h2', { id: groupAnchor(group), tabindex: -1 }, group.name),
      paragraphs(group.description),
      ...group.operations.map(located => section(openApi, located, group.canBeTried)),
    ]),
  ];
};

/** Shows the OpenAPI document of the running gateway, so that the reference needs no build. */
export const ApiReference = defineComponent({
  props: { document: { type: String, required: true } },
  setup(props) {
    const openApi = shallowRef<OpenApiDocument>();
    const failure = ref('');
    onMounted(async () => {
      try {
        const answer = await fetch(props.document);
        if (!answer.ok) throw new Error(`${props.document} answered ${answer.status}`);
        openApi.value = (await answer.json()) as OpenApiDocument;
        await nextTick();
        if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
      } catch (error) {
        failure.value = `The reference could not be loaded. Reload the page. (${(error as Error).message})`;
      }
    });
    return () => {
      if (failure.value) return h('p', { role: 'alert' }, failure.value);
      if (openApi.value) return h('div', { class: 'reference' }, reference(openApi.value, props.document));
      const link = h('a', { href: props.document, target: '_self' }, props.document);
      return h('p', { 'aria-busy': true }, ['Loading ', link, '…']);
    };
  },
});
