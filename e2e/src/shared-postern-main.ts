/** The program behind `sharedPostern`: runs one Postern in a temporary home until its standard input closes. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { SERVICE_NAMES } from '@postern/contracts';
import { DashboardClient, LIFTED_REQUEST_LIMITS, startPostern } from '@postern/local-start';
import type { SharedPosternReady } from './shared-postern.js';
import { temporaryHome } from './temporary-home.js';

const home = temporaryHome();
const postern = await startPostern({
  home: home.folder,
  port: 0,
  environment: {
    'platform-management': { POSTERN_PLATFORM_CALLS_PER_MINUTE: '0' },
    'api-gateway': LIFTED_REQUEST_LIMITS,
  },
});

// All test files share the operator's workspace.
const dashboard = new DashboardClient(postern.baseUrl);
await dashboard.login(postern.operator.email, postern.operator.password);
const { workspaces } = await dashboard.get<{ workspaces: readonly { id: string }[] }>('/me');
for (const { id } of workspaces) {
  const quotas = { email_services: 1_000, projects: 1_000, web_services: 1_000 };
  await dashboard.patch(`/workspaces/${id}/quotas`, quotas);
}

const control = createServer(async (request, response) => {
  const { name, value } = (await json(request)) as { name: string; value?: string };
  if (value === undefined) postern.dns.removeText(name);
  else postern.dns.setText(name, value);
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
  databaseUrls: Object.fromEntries(
    SERVICE_NAMES.map(service => [service, postern.wiring.databaseUrl(service)]),
  ) as SharedPosternReady['databaseUrls'],
  submissionPort: postern.wiring.submissionPort,
  bouncePort: postern.wiring.bouncePort,
  dnsAddress: postern.dns.address,
  homeFolder: home.folder,
  metricsUrls: postern.metricsUrls(),
  metricsToken: postern.metricsToken,
  dnsControlUrl: `http://127.0.0.1:${(control.address() as AddressInfo).port}`,
};
console.log(JSON.stringify(ready));
