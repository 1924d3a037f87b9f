/** The webhook endpoint of a customer, which counts what it received. */
import { createServer } from 'node:http';
import { INTERNET } from './machine.mjs';

const PORT = 8443;
export const HOOKS = { host: 'hooks.example.net', url: `http://hooks.example.net:${PORT}/` };

export class WebhookEndpoint {
  /** When the delivery to each recipient was received, each time. */
  delivered = new Map();

  listen() {
    const server = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', chunk => {
        text += chunk;
      });
      request.on('end', () => {
        const { event, to } = JSON.parse(text);
        if (event === 'delivered') this.delivered.set(to, [...(this.delivered.get(to) ?? []), Date.now()]);
        response.end();
      });
    });
    return new Promise(resolve => server.listen(PORT, INTERNET.address, resolve));
  }
}
