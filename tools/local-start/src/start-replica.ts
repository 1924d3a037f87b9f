import { freePort } from '@postern/testing';
import type { RunningPostern, StartOptions } from './postern.js';
import { entryPointOf, environmentOf, type SERVICES } from './services.js';
import { SupervisedProcess } from './supervised-process.js';

const READY_WITHIN_MS = 60_000;

/** Services of which any number of replicas can run. */
export type ReplicatedService = Exclude<(typeof SERVICES)[number], 'runtime-agent'>;

export interface ReplicaOptions {
  /** Name of its process and log, different from those of all others. */
  readonly name: string;
  /** As for the first replica. */
  readonly environment?: StartOptions['environment'];
  /** The program; that of the service by default. */
  readonly entryPoint?: string;
}

/** A further replica of a service, and its port: of the API for the gateway, of the return path for delivery-tracking, 0 for others. */
export interface Replica {
  readonly process: SupervisedProcess;
  readonly port: number;
}

/** The settings by which replicas on one machine differ. */
const portsOf = (service: ReplicatedService, port: number, submissionPort: number): Record<string, string> => {
  if (service === 'api-gateway') return { POSTERN_PORT: String(port), POSTERN_SUBMISSION_PORT: String(submissionPort) };
  return service === 'delivery-tracking' ? { POSTERN_BOUNCE_SMTP_PORT: String(port) } : {};
};

/** Starts a further replica of a service of a running Postern; it is restarted when it ends, until `process.stop()`. */
export const startReplica = async (
  { wiring, home, operator }: Pick<RunningPostern, 'wiring' | 'home' | 'operator'>,
  service: ReplicatedService,
  { name, environment, entryPoint = entryPointOf(service) }: ReplicaOptions,
): Promise<Replica> => {
  const listens = service === 'api-gateway' || service === 'delivery-tracking';
  const port = listens ? await freePort() : 0;
  const process = new SupervisedProcess({
    name,
    command: globalThis.process.execPath,
    args: [entryPoint],
    env: {
      ...environmentOf(service, wiring, home, operator),
      ...environment?.[service],
      ...portsOf(service, port, listens ? await freePort() : 0),
      POSTERN_HTTP_PORT: '0',
    },
    logFile: home.logFile(name),
    readyWithinMs: READY_WITHIN_MS,
  });
  try {
    await process.start();
  } catch (error) {
    await process.stop();
    throw error;
  }
  return { process, port };
};
