import { signal } from '../system/process-table.js';
import { type Fault, seconds } from './fault.js';

const CONSUMERS = ['delivery-tracking', 'webhook-dispatch'] as const;
const BURST = 8;

/** Event consumers are stopped while many events are published, until the broker's stream is full. */
export const consumersAway: Fault = {
  name: 'consumers away',
  canBeSecond: false,
  plan: random => {
    const holdMs = random.integer(20_000, 30_000);
    let paused: readonly (number | undefined)[] = [];
    return {
      name: 'consumers away',
      detail: `${CONSUMERS.join(' and ')} paused for ${seconds(holdMs)}, ${BURST} times the rate`,
      holdMs,
      begin: async ({ postern, clients }) => {
        paused = await Promise.all(CONSUMERS.map(name => postern.pidOf(name)));
        for (const pid of paused) signal(pid, 'SIGSTOP');
        clients.burst = BURST;
      },
      end: async ({ clients }) => {
        clients.burst = 1;
        for (const pid of paused) signal(pid, 'SIGCONT');
      },
    };
  },
};
