import http, { type Agent, type IncomingHttpHeaders } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export interface Question {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
  /** The source address of the request. */
  readonly localAddress?: string;
  /** Rejects if no data arrives for this long. */
  readonly timeoutMs?: number;
}

/** Sends one request and reads the full response; rejects if the response is incomplete. */
export const request = (
  url: string,
  { method = 'GET', headers = {}, body, agent, localAddress, timeoutMs }: Question = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const from = localAddress === undefined ? {} : { localAddress };
    const outgoing = http.request(url, { method, headers, agent: agent ?? false, ...from }, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode = 0, headers: answered, rawHeaders } = response;
        resolve({ status: statusCode, headers: answered, rawHeaders, body: Buffer.concat(chunks).toString('utf8') });
      });
    });
    outgoing.on('error', reject);
    if (timeoutMs !== undefined)
      outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error(`nothing came for ${timeoutMs} ms`)));
    outgoing.end(body);
  });
