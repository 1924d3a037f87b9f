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

const schedulingOfAll = (pids: readonly number[]) =>
  pids
    .map(schedulingOf)
    .reduce((sum, { ran, waited }) => ({ ran: sum.ran + ran, waited: sum.waited + waited }), { ran: 0, waited: 0 });

/** Waits until everything serves again without help: every service is ready, a message goes out and is told of. */
export const measureRecovery = async (
  postern: Postern,
  clients: SteadyClients,
  receiver: WebhookReceiver,
): Promise<Recovery> => {
  const began = performance.now();
  const before = schedulingOfAll(Object.values(postern.processes));
  const seconds = () => (performance.now() - began) / 1_000;
  const stall = () => {
    const after = schedulingOfAll(Object.values(postern.processes));
    // Counts of new processes begin at zero, so the differences can be negative.
    const [ran, waited] = [Math.max(1, after.ran - before.ran), Math.max(0, after.waited - before.waited)];
    return 1 + waited / ran;
  };
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
