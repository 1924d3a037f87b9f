import { byId, element } from './element.js';
import { exampleOf, type OpenApiDocument, type Parameter, type Schema } from './open-api.js';
import type { LocatedOperation } from './reference.js';

/** One field for the credential of all requests. It stays in the page: nothing stores it. */
export const credentialForm = (): HTMLElement =>
  element(
    'form',
    { class: 'credential', submit: event => event.preventDefault() },
    element('label', { for: 'credential' }, 'API key for the requests on this page'),
    element('input', {
      id: 'credential',
      type: 'password',
      autocomplete: 'off',
      placeholder: 'em_live_… or ak_live_…',
      spellcheck: 'false',
    }),
  );

/** Email keys have a header of their own; everything else is a bearer token. */
const credentialHeaders = (): Record<string, string> => {
  const key = (byId('credential') as HTMLInputElement).value.trim();
  if (!key) return {};
  return key.startsWith('em_live_') ? { 'api-key': key } : { authorization: `Bearer ${key}` };
};

const shownAnswer = async (answer: Response): Promise<string> => {
  const text = await answer.text();
  const type = answer.headers.get('content-type') ?? '';
  const body = type.includes('json') && text ? JSON.stringify(JSON.parse(text), null, 2) : text.slice(0, 10_000);
  return `${answer.status} ${answer.statusText}\n\n${body}`;
};

/** A form that sends the request to this Postern and shows the response. */
export const tryIt = (
  openApi: OpenApiDocument,
  { method, path }: LocatedOperation,
  parameters: readonly Parameter[],
  body: Schema | undefined,
): HTMLElement => {
  const inputs = parameters
    .filter(parameter => parameter.in === 'path' || parameter.in === 'query')
    .map(parameter => ({ parameter, input: element('input', { type: 'text', autocomplete: 'off' }) }));
  const bodyInput = body
    ? element('textarea', { rows: '8', spellcheck: 'false' }, JSON.stringify(exampleOf(openApi, body), null, 2))
    : undefined;
  const output = element('pre', { tabindex: '0', hidden: true });

  const send = async (event: Event) => {
    event.preventDefault();
    output.hidden = false;
    output.textContent = 'Sending…';
    const filledIn = (where: string) =>
      inputs
        .filter(({ parameter }) => parameter.in === where)
        .map(({ parameter, input }) => [parameter.name, input.value] as const);
    const filled = filledIn('path').reduce(
      (url, [name, value]) => url.replace(`{${name}}`, encodeURIComponent(value)),
      path,
    );
    const query = new URLSearchParams(
      filledIn('query')
        .filter(([, value]) => value !== '')
        .map(pair => [...pair]),
    );
    try {
      const answer = await fetch(query.size > 0 ? `${filled}?${query}` : filled, {
        method: method.toUpperCase(),
        headers: { ...credentialHeaders(), ...(bodyInput ? { 'content-type': 'application/json' } : {}) },
        ...(bodyInput ? { body: bodyInput.value } : {}),
      });
      output.textContent = await shownAnswer(answer);
    } catch (error) {
      output.textContent = `The request failed: ${(error as Error).message}`;
    }
  };

  return element(
    'details',
    { class: 'try' },
    element('summary', {}, 'Send a request'),
    element(
      'form',
      { submit: event => void send(event) },
      ...inputs.map(({ parameter, input }) => element('label', {}, parameter.name, input)),
      ...(bodyInput ? [element('label', {}, 'Body', bodyInput)] : []),
      element('button', { type: 'submit' }, 'Send'),
    ),
    output,
  );
};
