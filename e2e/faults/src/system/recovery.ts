import type { SteadyClients } from '../clients/steady-clients.js';
import type { WebhookReceiver } from '../webhook-receiver.js';
import type { Postern } from './postern.js';
import { isAlive, schedulingOf } from './process-table.js';
import { SERVICES } from './starter-options.js';

const CHECK_EVERY_MS = 250;
const ANSWERS_WITHIN_MS = 3_000;
/** How long to wait for a part, to distinguish "late" from "never". */
const GIVE_UP_AFTER_MS = 120_000;

/** How Postern recovered from a fault. Seconds count from the end of the fault. */
export interface Recovery {
  /** Until every service was ready and a message was sent; null if that did not happen. */
  readonly readyS: number | null;
  /** From the acceptance of that message to the webhook call for its delivery; null if there was none. */
  readonly webhookS: number | null;
  /** Ratio of the time that the processes took to the time on an idle machine. */
  readonly stall: number;
  /** The part that was not ready when the wait ended, or the last such part before recovery. */
  readonly waitedFor: string;
}

const readinessOf = async (port: number): Promise<string | undefined> => {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`, {
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
    });
    await response.arrayBuffer();
    return response.status === 200 ? undefined : String(response.status);
  } catch (error) {
    return ((error as Error).cause as Error | undefined)?.message ?? (error as Error).message;
  }
};

/** A description of the part that is not ready; undefined if all are ready. */
const whatIsMissing = async (postern: Postern): Promise<string | undefined> => {
  const { 'load-balancer': balancer } = await postern.refresh();
  if (balancer === undefined || !isAlive(balancer)) return 'load-balancer';
  const answers = await Promise.all(
    SERVICES.map(async service => [service, await readinessOf(postern.ports.health[service])] as const),
  );
  return (
    answers.flatMap(([service, problem]) => (problem === undefined ? [] : [`${service}: ${problem}`])).join(', ') ||
    undefined
  );
};

type Scheduling = ReadonlyMap<number, ReturnType<typeof schedulingOf>>;

const schedulingOfAll = ({ processes }: Postern): Scheduling =>
  new Map(Object.values(processes).map(pid => [pid, schedulingOf(pid)]));

/** Time that threads ran or waited for a CPU, divided by the time that they ran. */
const stallSince = (before: Scheduling, after: Scheduling): number => {
  let [ran, waited] = [0, 0];
  for (const [pid, now] of after) {
    const then = before.get(pid) ?? { ran: 0, waited: 0 };
    ran += now.ran - then.ran;
    waited += now.waited - then.waited;
  }
  return ran <= 0 ? 1 : 1 + Math.max(0, waited) / ran;
};

/** Waits until Postern has recovered by itself: every service is ready, a message is sent and its webhook arrives. */
export const measureRecovery = async (
  postern: Postern,
  clients: SteadyClients,
  receiver: WebhookReceiver,
): Promise<Recovery> => {
  const began = performance.now();
  const before = schedulingOfAll(postern);
  const seconds = () => (performance.now() - began) / 1_000;
  const stall = () => stallSince(before, schedulingOfAll(postern));
  let waitedFor = 'nothing';
  while (performance.now() - began < GIVE_UP_AFTER_MS) {
    const missing = await whatIsMissing(postern);
    const recipient = missing === undefined ? await clients.probe() : undefined;
    if (recipient !== undefined) {
      const readyS = seconds();
      const received = await receiver.waitForEvent('delivered', recipient, GIVE_UP_AFTER_MS);
      const webhookS = received ? seconds() - readyS : null;
      return { readyS, webhookS, stall: stall(), waitedFor: received ? waitedFor : `the webhook of ${recipient}` };
    }
    waitedFor = missing ?? 'a message to be sent';
    await new Promise(resolve => setTimeout(resolve, CHECK_EVERY_MS));
  }
  return { readyS: null, webhookS: null, stall: stall(), waitedFor };
};
