import type { SteadyClients } from '../clients/steady-clients.js';
import type { WebhookReceiver } from '../webhook-receiver.js';
import type { Postern } from './postern.js';
import { isAlive, schedulingOf } from './process-table.js';
import { SERVICES } from './starter-options.js';

const CHECK_EVERY_MS = 250;
const ANSWERS_WITHIN_MS = 3_000;
/** How long a part is waited for, to tell "late" from "never". */
const GIVE_UP_AFTER_MS = 120_000;

/** How a fault was survived. Seconds count from its end. */
export interface Recovery {
  /** Every service ready and a message sent; null where that did not happen. */
  readonly readyS: number | null;
  /** From the acceptance of that message until the webhook told of its delivery; null where it never did. */
  readonly toldS: number | null;
  /** How much longer the processes took than they would have on an idle machine. */
  readonly stall: number;
  /** What was not ready when the wait was given up, or last before it was. */
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

/** What is not ready, in words; undefined when all is. */
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

/** Time that threads ran and waited for a processor, as a multiple of the time that they ran. */
const stallSince = (before: Scheduling, after: Scheduling): number => {
  let [ran, waited] = [0, 0];
  for (const [pid, now] of after) {
    const then = before.get(pid) ?? { ran: 0, waited: 0 };
    ran += now.ran - then.ran;
    waited += now.waited - then.waited;
  }
  return ran <= 0 ? 1 : 1 + Math.max(0, waited) / ran;
};

/** Waits until everything serves again without help: every service is ready, a message goes out and is told of. */
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
      const told = await receiver.told('delivered', recipient, GIVE_UP_AFTER_MS);
      const toldS = told ? seconds() - readyS : null;
      return { readyS, toldS, stall: stall(), waitedFor: told ? waitedFor : `the webhook of ${recipient}` };
    }
    waitedFor = missing ?? 'a message to be sent';
    await new Promise(resolve => setTimeout(resolve, CHECK_EVERY_MS));
  }
  return { readyS: null, toldS: null, stall: stall(), waitedFor };
};
