import { setTimeout as pause } from 'node:timers/promises';
import type { Configuration } from '../configuration/schema.js';
import { systemctl } from '../machine/run.js';
import { hasSpare, type Service, servicesOf, spareOf, sparePortOf, unitOf } from '../rendering/model.js';
import { isReadyAt, untilHealthy } from './health.js';

type Print = (line: string) => void;

const READY_WITHIN_MS = 60_000;

const untilSpareReady = async (service: Service): Promise<void> => {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await isReadyAt(sparePortOf(service)))) {
    if (Date.now() > deadline)
      throw new Error(
        `a second process of ${service} was not ready after ${READY_WITHIN_MS / 1_000} s; see "postern logs ${service}"`,
      );
    await pause(500);
  }
};

/**
 * Replaces the process of a service. A spare with the current release takes its requests meanwhile; if the spare does not
 * become ready, the running process stays.
 */
const replaceService = async (service: Service, configuration: Configuration): Promise<void> => {
  if (!hasSpare(service)) {
    await systemctl('restart', unitOf(service));
    await untilHealthy(configuration, () => undefined, READY_WITHIN_MS);
    return;
  }
  try {
    await systemctl('restart', spareOf(service));
    await untilSpareReady(service);
    await systemctl('restart', unitOf(service));
    await untilHealthy(configuration, () => undefined, READY_WITHIN_MS);
  } finally {
    await systemctl('stop', spareOf(service));
  }
};

/** Replaces the processes of all services, one after the other. @throws if one does not become ready within 60 s. */
export const replaceServices = async (configuration: Configuration, print: Print): Promise<void> => {
  for (const service of servicesOf(configuration)) {
    print(`replacing ${service}`);
    await replaceService(service, configuration);
  }
};
