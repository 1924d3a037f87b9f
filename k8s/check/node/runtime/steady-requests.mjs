/** Requests to a web service at a steady rate, half of them over new connections. */
import { Agent, get } from 'node:http';

const EVERY_MS = 10;
const AT_ONCE = 2;
const ANSWER_WITHIN_MS = 15_000;

export class SteadyRequests {
  count = 0;
  failures = [];
  versions = new Set();
  #agent = new Agent({ keepAlive: true, maxSockets: 20 });
  #underWay = new Set();

  constructor(url) {
    this.url = url;
    this.clock = setInterval(() => {
      for (let n = 0; n < AT_ONCE; n++) this.#next();
    }, EVERY_MS);
  }

  #next() {
    const agent = this.count++ % 2 === 0 ? this.#agent : false;
    const pending = new Promise(resolve => {
      const fail = reason => {
        this.failures.push(reason);
        resolve(undefined);
      };
      const request = get(this.url, { agent, timeout: ANSWER_WITHIN_MS }, response => {
        response
          .setEncoding('utf8')
          .toArray()
          .then(
            chunks => {
              const text = chunks.join('');
              if (response.statusCode !== 200) return fail(`${response.statusCode} ${text.slice(0, 100)}`);
              this.versions.add(JSON.parse(text).version);
              resolve(undefined);
            },
            error => fail(error.message),
          );
      });
      request.once('timeout', () => request.destroy(new Error('no answer in time')));
      request.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
        // A server may close an idle connection at any time; clients retry over a new one (RFC 9110 §9.2.2).
        if (request.reusedSocket && error.code === 'ECONNRESET') this.#next();
        else fail(`${error.code ?? ''} ${error.message}`);
        resolve(undefined);
      });
    }).finally(() => this.#underWay.delete(pending));
    this.#underWay.add(pending);
  }

  async stop() {
    clearInterval(this.clock);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    this.#agent.destroy();
  }
}
