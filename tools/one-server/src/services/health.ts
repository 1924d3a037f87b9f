import { setTimeout as pause } from 'node:timers/promises';
import type { Configuration } from '../configuration/schema.js';
import { healthPortOf, type Service, servicesOf } from '../rendering/model.js';
import { PORTS } from '../rendering/places.js';

export interface Health {
  readonly service: Service;
  readonly ready: boolean;
  /** What is not ready, or why there is no answer. */
  readonly reason: string;
}

const ANSWER_WITHIN_MS = 3_000;

const reasonOf = (body: string): string => {
  try {
    const { error = {} } = JSON.parse(body) as { error?: Record<string, { message?: string }> };
    return Object.entries(error)
      .map(([check, { message = 'down' }]) => `${check}: ${message}`)
      .join(', ');
  } catch {
    return body.slice(0, 100);
  }
};

/** Whether a service is ready for requests. */
export const healthOf = async (service: Service): Promise<Health> => {
  const port = healthPortOf(service);
  const url = port === undefined ? `http://127.0.0.1:${PORTS.balancer}/` : `http://127.0.0.1:${port}/health/ready`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS), redirect: 'manual' });
    const body = await response.text();
    // The load balancer has no health check; it answers 404 for a host without a web service.
    const ready = port === undefined ? response.status < 500 : response.ok;
    return { service, ready, reason: ready ? '' : reasonOf(body) };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return { service, ready: false, reason: cause?.code ?? message };
  }
};

/** Whether the service at a port of health checks is ready. */
export const isReadyAt = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );

export const healthOfAll = (configuration: Configuration): Promise<readonly Health[]> =>
  Promise.all(servicesOf(configuration).map(healthOf));

/** Waits until every service is ready. @throws with the services that are not, after the time limit. */
export const untilHealthy = async (
  configuration: Configuration,
  print: (line: string) => void,
  withinMs = 120_000,
): Promise<void> => {
  const deadline = Date.now() + withinMs;
  let shown = '';
  for (;;) {
    const waiting = (await healthOfAll(configuration)).filter(({ ready }) => !ready);
    if (waiting.length === 0) return;
    const line = waiting.map(({ service, reason }) => `${service} (${reason})`).join(', ');
    if (Date.now() > deadline)
      throw new Error(`Not ready after ${withinMs / 1_000} s: ${line}. See "postern logs ${waiting[0]?.service}".`);
    const names = waiting.map(({ service }) => service).join(', ');
    if (names !== shown) print(`waiting for ${names}`);
    shown = names;
    await pause(500);
  }
};
