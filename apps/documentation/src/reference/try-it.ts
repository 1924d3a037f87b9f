import { defineComponent, h, type PropType, ref } from 'vue';
import { Collapsed } from './collapsed.js';
import { exampleBodyOf, type LocatedOperation, type OpenApiDocument, type Parameter } from './open-api.js';

/** The credential of all requests on the page. It stays in the page: nothing stores it. */
const credential = ref('');

const textIn = (event: Event): string => (event.target as HTMLInputElement | HTMLTextAreaElement).value;

/** One field for the credential of all requests. */
export const credentialForm = () =>
  h('form', { class: 'credential', onSubmit: (event: Event) => event.preventDefault() }, [
    h('label', { for: 'credential' }, 'API key for the requests on this page'),
    h('input', {
      id: 'credential',
      type: 'password',
      autocomplete: 'off',
      placeholder: 'em_live_… or ak_live_…',
      spellcheck: false,
      onInput: (event: Event) => {
        credential.value = textIn(event);
      },
    }),
  ]);

/** Email keys have a header of their own; everything else is a bearer token. */
const credentialHeaders = (): Record<string, string> => {
  const key = credential.value.trim();
  if (!key) return {};
  return key.startsWith('em_live_') ? { 'api-key': key } : { authorization: `Bearer ${key}` };
};

const shownAnswer = async (answer: Response): Promise<string> => {
  const text = await answer.text();
  const type = answer.headers.get('content-type') ?? '';
  const body = type.includes('json') && text ? JSON.stringify(JSON.parse(text), null, 2) : text.slice(0, 10_000);
  return `${answer.status} ${answer.statusText}\n\n${body}`;
};

/** The URL of a request with the parameters that are filled in. */
export const urlWith = (path: string, parameters: readonly Parameter[], values: Readonly<Record<string, string>>) => {
  const filledIn = (where: string) =>
    parameters.filter(parameter => parameter.in === where).map(({ name }) => [name, values[name] ?? ''] as const);
  const url = filledIn('path').reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const query = new URLSearchParams(
    filledIn('query')
      .filter(([, value]) => value !== '')
      .map(pair => [...pair]),
  );
  return query.size > 0 ? `${url}?${query}` : url;
};

/** A form that sends the request to this Postern and shows the response. */
export const TryIt = defineComponent({
  props: {
    openApi: { type: Object as PropType<OpenApiDocument>, required: true },
    located: { type: Object as PropType<LocatedOperation>, required: true },
    parameters: { type: Array as PropType<readonly Parameter[]>, required: true },
  },
  setup({ openApi, located: { method, path, operation }, parameters }) {
    const body = exampleBodyOf(openApi, operation.requestBody?.content);
    const inputs = parameters.filter(parameter => parameter.in === 'path' || parameter.in === 'query');
    const values: Record<string, string> = {};
    const bodyText = ref(body === undefined ? '' : JSON.stringify(body, null, 2));
    const output = ref('');

    const send = async (event: Event) => {
      event.preventDefault();
      output.value = 'Sending…';
      try {
        const answer = await fetch(urlWith(path, parameters, values), {
          method: method.toUpperCase(),
          headers: { ...credentialHeaders(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { body: bodyText.value }),
        });
        output.value = await shownAnswer(answer);
      } catch (error) {
        output.value = `The request failed: ${(error as Error).message}`;
      }
    };

    const field = ({ name }: Parameter) =>
      h('label', [
        name,
        h('input', {
          type: 'text',
          autocomplete: 'off',
          onInput: (event: Event) => {
            values[name] = textIn(event);
          },
        }),
      ]);
    const bodyField = () =>
      h('label', [
        'Body',
        h('textarea', {
          rows: 8,
          spellcheck: false,
          value: bodyText.value,
          onInput: (event: Event) => {
            bodyText.value = textIn(event);
          },
        }),
      ]);

    return () =>
      h(
        Collapsed,
        { class: 'try' },
        {
          summary: () => 'Send a request',
          default: () => [
            h('form', { onSubmit: send }, [
              ...inputs.map(field),
              ...(body === undefined ? [] : [bodyField()]),
              h('button', { type: 'submit' }, 'Send'),
            ]),
            ...(output.value ? [h('pre', { tabindex: 0 }, output.value)] : []),
          ],
        },
      );
  },
});
