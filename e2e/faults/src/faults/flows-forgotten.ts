import { SERVICES_WITH_DATABASE } from '@postern/testing';
import { dropFlows, whyNoFirewall } from '../system/firewall.js';
import { flowsOf } from '../system/flows.js';
import type { Postern } from '../system/postern.js';
import type { Fault } from './fault.js';

type Server = 'PostgreSQL' | 'NATS';

const portOf = ({ started }: Postern, server: Server, service: (typeof SERVICES_WITH_DATABASE)[number]): number => {
  if (server === 'PostgreSQL') return started?.databasePorts[service] ?? 0;
  return Number(new URL(started?.natsUrl ?? 'tls://localhost:0').port);
};

/** A firewall drops all packets of the present connections of one service to a server; new connections work. */
export const flowsForgotten = (server: Server): Fault => {
  const name = `forget flows to ${server}`;
  return {
    name,
    canBeSecond: true,
    unavailable: ({ postern }) =>
      server === 'PostgreSQL' && !postern.hasClusters
        ? 'PostgreSQL has TCP connections with --clusters only'
        : whyNoFirewall(),
    plan: random => {
      const service = random.pick(SERVICES_WITH_DATABASE);
      return {
        name,
        detail: `of ${service}, without a sign to either side`,
        holdMs: 0,
        begin: async ({ postern }) => {
          const pid = await postern.pidOf(service);
          if (pid !== undefined) dropFlows(flowsOf(pid, portOf(postern, server, service)));
        },
      };
    },
  };
};
