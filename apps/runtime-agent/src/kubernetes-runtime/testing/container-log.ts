import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** The output of one run of a container, with a timestamp for each line, as the kubelet stores and serves it. */
export class ContainerLog {
  readonly #lines: { readonly time: string; readonly text: string }[] = [];
  readonly #news = new EventEmitter().setMaxListeners(0);
  #rest = '';
  #isClosed = false;

  write(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const text of lines) this.#lines.push({ time: this.#now(), text });
    this.#news.emit('news');
  }

  close(): void {
    if (this.#rest !== '') this.write('\n');
    this.#isClosed = true;
    this.#news.emit('news');
  }

  tail(count: number): string {
    return this.#lines
      .slice(-count)
      .map(({ text }) => text)
      .join('\n');
  }

  async serve(query: URLSearchParams, response: ServerResponse): Promise<void> {
    const since = query.get('sinceTime');
    const tail = Number(query.get('tailLines') ?? Number.POSITIVE_INFINITY);
    const isStamped = query.get('timestamps') === 'true';
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    const closed = once(response, 'close').catch(() => {});
    let next = Math.max(0, this.#lines.length - tail);
    for (;;) {
      for (; next < this.#lines.length; next += 1) {
        const { time = '', text = '' } = this.#lines[next] ?? {};
        if (since === null || Date.parse(time) >= Date.parse(since))
          response.write(`${isStamped ? `${time} ` : ''}${text}\n`);
      }
      if (query.get('follow') !== 'true' || this.#isClosed || response.destroyed) break;
      await Promise.race([once(this.#news, 'news'), closed]);
    }
    response.end();
  }

  /** The current time in nanoseconds; no two lines have the same time. */
  #now(): string {
    const count = String(this.#lines.length % 1_000_000).padStart(6, '0');
    return new Date().toISOString().replace('Z', `${count}Z`);
  }
}
