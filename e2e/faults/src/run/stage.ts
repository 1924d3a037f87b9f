import { cpSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DashboardClient } from '@postern/local-start';
import type { Cleanup } from '@postern/testing';
import type { EmailApi } from '../clients/email-client.js';
import { Reader } from '../clients/reader.js';
import { SENDING_DOMAIN, SteadyClients } from '../clients/steady-clients.js';
import type { FaultContext } from '../faults/fault.js';
import { Observer } from '../observe.js';
import type { ObservedTraffic, RestoredDatabase } from '../observed-traffic.js';
import type { FaultOptions } from '../options.js';
import { FaultyRelay } from '../relay/relay.js';
import { ReportSender } from '../relay/report-sender.js';
import { Disks } from '../system/disks.js';
import { SilentNameServer } from '../system/name-server.js';
import { Postern } from '../system/postern.js';
import { createRunFolder, removeRunFolder } from '../system/run-folder.js';
import { choosePorts, startOptions } from '../system/starter-options.js';
import { WebhookReceiver } from '../webhook-receiver.js';
import { SeededRandom } from './random.js';

/** A running Postern with the systems around it. */
export interface Stage extends FaultContext {
  readonly folder: string;
  readonly reportSender: ReportSender;
  readonly reader: Reader;
  readonly observer: Observer;
  readonly traffic: ObservedTraffic;
}

interface Domain {
  readonly id: string;
  readonly records: readonly { readonly name: string; readonly value: string }[];
}

const EVENTS = ['delivered', 'bounced', 'complained', 'opened', 'clicked'];

/** Creates an email service in production mode with open and click tracking and a webhook for all events. */
const prepareService = async (postern: Postern, dashboard: DashboardClient, receiver: WebhookReceiver) => {
  const { id: serviceId } = await dashboard.post<{ id: string }>('/email-services', { name: 'Faults' });
  const path = `/email-services/${serviceId}`;
  await dashboard.patch(path, { click_tracking: true });
  const { key } = await dashboard.post<{ key: string }>(`${path}/api-keys`, { name: 'faults' });
  const webhook = await dashboard.post<{ id: string; secret: string }>(`${path}/webhooks`, {
    url: receiver.url,
    events: EVENTS,
  });
  receiver.secret = webhook.secret;
  const domain = await dashboard.post<Domain>(`${path}/domains`, { domain: SENDING_DOMAIN });
  for (const { name, value } of domain.records) await postern.setText(name, value);
  const { status } = await dashboard.post<{ status: string }>(`${path}/domains/${domain.id}/verify`, {});
  if (status !== 'verified') throw new Error(`the sending domain is ${status}`);
  const api: EmailApi = { baseUrl: postern.baseUrl, apiKey: key };
  return { api, serviceId, webhookId: webhook.id };
};

/** Copies the logs of the services and the relay. */
const keepLogs = (folder: string, to: string): void => {
  mkdirSync(to, { recursive: true });
  for (const from of ['home/logs', 'relay.jsonl'])
    cpSync(join(folder, from), join(to, basename(from)), { recursive: true });
};

/** Starts everything, and adds the stop of each part to `cleanup`. */
export const setStage = async (options: FaultOptions, cleanup: Cleanup): Promise<Stage> => {
  const folder = createRunFolder();
  cleanup.push(async () => {
    if (options.logs !== undefined) keepLogs(folder, options.logs);
    const leftOver = await removeRunFolder(folder);
    if (leftOver.length > 0) console.error(`▸ still ran after the stop: ${leftOver.join('; ')}`);
  });
  const disk = Disks.create(join(folder, 'home'), options.clusters);
  const ports = await choosePorts();
  const run = folder
    .slice(-6)
    .toLowerCase()
    .replaceAll(/[^0-9a-z]/g, '0');

  const nameServer = await SilentNameServer.start(join(folder, 'resolv.conf'));
  cleanup.push(() => nameServer?.stop());
  const reader = new Reader(new SeededRandom(options.seed + 1));
  const reportSender = new ReportSender(ports.bounce, mail => reader.delivered(mail));
  const relay = new FaultyRelay(
    ports.relay,
    new SeededRandom(options.seed + 2),
    mail => reportSender.add(mail),
    join(folder, 'relay.jsonl'),
  );
  await relay.open();
  cleanup.push(() => relay.close());
  cleanup.push(() => reportSender.stop());
  const receiver = new WebhookReceiver(ports.receiver);
  await receiver.open();
  cleanup.push(() => receiver.close());

  const postern = new Postern(folder, ports, startOptions(folder, ports, options.clusters));
  cleanup.push(() => postern.stop());
  await postern.start();
  const dashboard = await postern.dashboard();
  const firstDay = new Date().toISOString().slice(0, 10);
  const { api, serviceId, webhookId } = await prepareService(postern, dashboard, receiver);
  const clients = new SteadyClients(api, options.perSecond, run, new SeededRandom(options.seed + 3));
  cleanup.push(() => clients.stop());
  const observer = new Observer(dashboard, api, serviceId, webhookId, firstDay);
  const restored: RestoredDatabase[] = [];
  const traffic: ObservedTraffic = {
    requests: clients.requests,
    taken: relay.taken,
    refused: relay.refused,
    reports: reportSender.reports,
    visits: reader.visits,
    calls: receiver.calls,
    restored,
  };
  const systems = { relay, reportSender, reader, receiver, nameServer, clients, observer, traffic, restored };
  return { folder, disk, postern, servicePath: `/email-services/${serviceId}`, ...systems };
};
