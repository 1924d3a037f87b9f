/** A response as a client sees it; `body` is its text. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly json: Record<string, unknown>;
}

const MAX_WAITED_S = 15;

/** Calls `sendOnce`, and again after a short `Retry-After`: the gateway limits requests without a credential by address. */
export const callApi = async (...request: Parameters<typeof sendOnce>): Promise<Answer> => {
  const { retryAfterS, ...answer } = await sendOnce(...request);
  if (answer.status !== 429 || retryAfterS === undefined || retryAfterS > MAX_WAITED_S) return answer;
  await new Promise(resolve => setTimeout(resolve, retryAfterS * 1_000));
  return callApi(...request);
};

/** Sends one request without following redirects, with an optional JSON body. */
const sendOnce = async (
  baseUrl: string,
  {
    method,
    path,
    headers = {},
    body,
  }: { method: string; path: string; headers?: Record<string, string>; body?: unknown },
): Promise<Answer & { readonly retryAfterS: number | undefined }> => {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'manual',
  });
  const isEndless = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (isEndless) await response.body?.cancel();
  const text = isEndless ? '' : await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const retryAfterS = Number(response.headers.get('retry-after')) || undefined;
  return { status: response.status, body: text, json: isJson ? JSON.parse(text) : {}, retryAfterS };
};
