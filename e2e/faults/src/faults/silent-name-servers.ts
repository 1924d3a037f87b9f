import { type Fault, FaultViolation, seconds } from './fault.js';

const HOSTS = 6;
const TOLD_WITHIN_MS = 30_000;

/** Webhooks of other customers are at hosts whose name server does not answer; the others are told as before. */
export const silentNameServers: Fault = {
  name: 'silent name servers',
  canBeSecond: false,
  unavailable: ({ nameServer }) => (nameServer ? undefined : 'a name server of its own is for root only'),
  plan: random => {
    const holdMs = random.integer(4_000, 12_000);
    let webhooks: readonly string[] = [];
    return {
      name: 'silent name servers',
      detail: `of ${HOSTS} webhooks for ${seconds(holdMs)}`,
      holdMs,
      begin: async ({ postern, nameServer, servicePath, receiver }) => {
        const dashboard = await postern.dashboard();
        const { port } = new URL(receiver.url);
        const create = (_: unknown, number: number) =>
          dashboard.post<{ id: string }>(`${servicePath}/webhooks`, {
            url: `http://${nameServer?.hostOf(number)}:${port}/events`,
            events: ['delivered'],
          });
        webhooks = (await Promise.all(Array.from({ length: HOSTS }, create))).map(({ id }) => id);
      },
      end: async ({ postern, servicePath, clients, receiver }) => {
        const recipient = await clients.probe();
        const received =
          recipient !== undefined && (await receiver.waitForEvent('delivered', recipient, TOLD_WITHIN_MS));
        const dashboard = await postern.dashboard();
        for (const id of webhooks) await dashboard.delete(`${servicePath}/webhooks/${id}`);
        if (!received)
          throw new FaultViolation(`the webhook of ${recipient ?? 'a message'} waited for names of others`);
      },
    };
  },
};
