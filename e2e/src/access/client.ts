/** An answer as a client sees it; `body` is its text. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly json: Record<string, unknown>;
}

/** One request without redirects, with a JSON body where there is one. */
export const callApi = async (
  baseUrl: string,
  {
    method,
    path,
    headers = {},
    body,
  }: { method: string; path: string; headers?: Record<string, string>; body?: unknown },
): Promise<Answer> => {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'manual',
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, body: text, json: isJson ? JSON.parse(text) : {} };
};
