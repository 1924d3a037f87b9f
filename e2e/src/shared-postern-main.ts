/** The program behind `sharedPostern`: runs one Postern in a temporary home until its standard input closes. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { startPostern } from '@postern/local-start';
import type { SharedPosternReady } from './shared-postern.js';
import { temporaryHome } from './temporary-home.js';

const home = temporaryHome();
const postern = await startPostern({
  home: home.folder,
  port: 0,
  environment: {
    'platform-management': { POSTERN_PLATFORM_CALLS_PER_MINUTE: '0' },
    'api-gateway': { POSTERN_CLIENT_REQUESTS_PER_SECOND: '1000000' },
  },
});

const control = createServer(async (request, response) => {
  const { name, value } = (await json(request)) as { name: string; value: string };
  postern.dns.setText(name, value);
  response.end();
});
await new Promise<void>(resolve => control.listen(0, '127.0.0.1', resolve));

let stopping = false;
const stop = async () => {
  if (stopping) return;
  stopping = true;
  control.close();
  await postern.stop();
  home.remove();
  process.exit(0);
};
process.stdin.resume().on('close', () => void stop());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());

const ready: SharedPosternReady = {
  baseUrl: postern.baseUrl,
  mailboxUrl: postern.mailboxUrl,
  operator: postern.operator,
  dnsAddress: postern.dns.address,
  dnsControlUrl: `http://127.0.0.1:${(control.address() as AddressInfo).port}`,
};
console.log(JSON.stringify(ready));
