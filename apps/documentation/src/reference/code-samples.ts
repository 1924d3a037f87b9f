import { LANGUAGES, type Language, type SampledRequest, sampleOf } from '@postern/contracts/request-samples';
import { defineComponent, h, type PropType, ref } from 'vue';
import { Collapsed } from './collapsed.js';
import { exampleBodyOf, type LocatedOperation, type OpenApiDocument } from './open-api.js';

/** The language of all samples on the page. */
const language = ref<Language>('curl');

/** The credentials of the APIs, by the security scheme of an operation, as the pages name their variables. */
const KEYS: Readonly<Record<string, SampledRequest['key']>> = {
  apiKey: { header: 'Api-Key', prefix: '', variable: 'POSTERN_EMAIL_KEY' },
  platformKey: { header: 'Authorization', prefix: 'Bearer ', variable: 'POSTERN_PLATFORM_KEY' },
  bearer: { header: 'Authorization', prefix: 'Bearer ', variable: 'SESSION_TOKEN' },
};

/** The request of an operation: the parameters of its path are left as capitalized names. */
export const requestOf = (
  openApi: OpenApiDocument,
  { method, path, operation }: LocatedOperation,
  origin: string,
): SampledRequest => {
  const [scheme = ''] = operation.security?.flatMap(each => Object.keys(each)) ?? [];
  const key = KEYS[scheme];
  const body = exampleBodyOf(openApi, operation.requestBody?.content);
  return {
    method: method.toUpperCase(),
    url: origin + path.replace(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase()),
    ...(key ? { key } : {}),
    ...(body === undefined ? {} : { body: JSON.stringify(body, null, 2) }),
  };
};

/** A program for an operation in the chosen language. */
export const CodeSamples = defineComponent({
  props: {
    openApi: { type: Object as PropType<OpenApiDocument>, required: true },
    located: { type: Object as PropType<LocatedOperation>, required: true },
  },
  setup({ openApi, located }) {
    const choice = ([name, label]: (typeof LANGUAGES)[number]) =>
      h(
        'button',
        {
          type: 'button',
          'aria-pressed': language.value === name,
          onClick: () => {
            language.value = name;
          },
        },
        label,
      );
    const program = () => sampleOf(language.value, requestOf(openApi, located, location.origin));
    return () =>
      h(
        Collapsed,
        { class: 'samples' },
        {
          summary: () => 'Code sample',
          default: () => [
            h('div', { role: 'group', 'aria-label': 'Language' }, LANGUAGES.map(choice)),
            h('pre', { tabindex: 0 }, program()),
          ],
        },
      );
  },
});
