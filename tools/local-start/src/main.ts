import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from './api-client.js';
import { DashboardClient } from './dashboard-client.js';
import { DEMO_DOMAIN, prepareDemo, sendDemoMessage } from './demo.js';
import { gatewayPort } from './gateway-port.js';
import { isInUse } from './home.js';
import { OPERATOR_EMAIL, type RunningPostern, startPostern } from './postern.js';
import { readyFile } from './ready-file.js';
import { deploySample } from './sample-service.js';
import { summary } from './summary.js';
import { type ReceivedEvent, WebhookReceiver } from './webhook-receiver.js';

const DEMO_EVENT_WITHIN_MS = 30_000;

const folder = process.env['POSTERN_HOME'] || join(import.meta.dirname, '../../../.postern');
const logs = join(folder, 'logs');
const began = Number(process.env['POSTERN_START_BEGAN_AT'] ?? Date.now());
const say = (line: string) => console.log(`▸ ${line}`);

const showEvent = (event: ReceivedEvent) => {
  console.log(`  ✉ ${event.timestamp}  ${event.event.padEnd(10)} ${event.to}  ${JSON.stringify(event.data)}`);
};

let running: RunningPostern | undefined;
let stopping = false;
const arrivals = new Map<string, () => void>();
const receiver = new WebhookReceiver(event => {
  showEvent(event);
  arrivals.get(event.email_id)?.();
});

const stop = async (code: number) => {
  if (stopping) return;
  stopping = true;
  console.log('\n▸ stopping');
  running?.home.remove('ready.json');
  receiver.close();
  await running?.stop();
  process.exit(code);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));

const start = async () => {
  if (isInUse(folder))
    throw new Error(
      `Postern already runs in ${folder}. Stop it, or start another one beside it: POSTERN_HOME=<folder> POSTERN_PORT=<port> npm start`,
    );
  running = await startPostern({
    home: folder,
    port: await gatewayPort(process.env['POSTERN_PORT']),
    progress: say,
    onRestart: again => again.home.read('ready.json') && again.home.write('ready.json', readyFile(again)),
  });
  running.home.remove('ready.json');
  say('preparing the demo workspace');
  const dashboard = new DashboardClient(running.baseUrl);
  await dashboard.login(OPERATOR_EMAIL, running.operator.password);
  const demo = await prepareDemo(dashboard, running.home, running.dns, {
    webhookUrl: await receiver.listen(),
    mailboxUrl: running.mailboxUrl,
  });
  receiver.secret = demo.webhook.secret;
  say('sending a message through the public API; its events as a signed webhook receives them:');
  const emailId = await sendDemoMessage(running.baseUrl, demo.production.api_key);
  await new Promise<void>((resolve, reject) => {
    const deadline = setTimeout(
      () => reject(new Error(`no event of message ${emailId} came within ${DEMO_EVENT_WITHIN_MS / 1000} s`)),
      DEMO_EVENT_WITHIN_MS,
    );
    arrivals.set(emailId, () => {
      clearTimeout(deadline);
      resolve();
    });
  });
  const platform = new ApiClient(`${running.baseUrl}/api/v1`, demo.platform.write_key);
  const sample = await deploySample(platform, running.home, say);
  const ready = readyFile(running);
  running.home.write('ready.json', ready);
  const seconds = (Date.now() - began) / 1000;
  console.log(summary(ready, { home: folder, seconds, domain: DEMO_DOMAIN, sample }));
};

start().catch(async (error: Error) => {
  if (stopping) return;
  console.error(`\n${error.message}${existsSync(logs) ? `\n\nThe logs of all parts lie in ${logs}.` : ''}`);
  await stop(1);
});
