import type { ServiceWithDatabase } from '@postern/testing';
import { type Fault, seconds } from './fault.js';

/** Services go back to a backup of some seconds ago, while NATS and the other services run. */
export const databaseRestored = (target: string, services: readonly ServiceWithDatabase[]): Fault => {
  const name = `restore ${target}`;
  return {
    name,
    canBeSecond: false,
    unavailable: ({ postern }) =>
      postern.hasClusters ? undefined : 'each service has its own database with --clusters',
    plan: random => {
      const holdMs = random.integer(2_000, 12_000);
      let from = 0;
      return {
        name,
        detail: `to a backup of ${seconds(holdMs)} ago`,
        holdMs,
        begin: async ({ postern }) => {
          from = Date.now();
          await postern.backUp(services);
        },
        end: async ({ postern, restored }) => {
          await postern.restore(services);
          restored.push(...services.map(service => ({ service, from, to: Date.now() })));
        },
      };
    },
  };
};
