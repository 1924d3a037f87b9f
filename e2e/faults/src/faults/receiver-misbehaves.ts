import type { ReceiverBehaviour } from '../webhook-receiver.js';
import { type Fault, seconds } from './fault.js';

/** The webhook endpoint is down, hangs, answers 500 or resets connections. */
export const receiverMisbehaves = (behaviour: Exclude<ReceiverBehaviour, 'normal'>): Fault => ({
  name: `receiver ${behaviour}`,
  canBeSecond: true,
  plan: random => {
    const holdMs = random.integer(3_000, 12_000);
    return {
      name: `receiver ${behaviour}`,
      detail: `for ${seconds(holdMs)}`,
      holdMs,
      begin: ({ receiver }) => receiver.behave(behaviour),
      end: ({ receiver }) => receiver.behave('normal'),
    };
  },
});
