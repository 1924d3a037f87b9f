import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { balancerFolder } from '@postern/load-balancer-client';
import type { BalancerSettings } from '../settings.js';
import type { Worker, WorkerReport } from './ports.js';

/** Incremented when the meaning of the orders changes: workers of another version are replaced, not reused. */
const PROTOCOL = 4;

/** Every worker process accepts orders on a Unix socket in this folder, named by its process id. */
export const workersFolder = (platformHome: string): string => join(balancerFolder(platformHome), 'workers');

/** Identifies compatible workers: those with other settings or another Node.js version differ. */
export const kindOf = ({ trustedProxies, exitWithParent: _, ...settings }: BalancerSettings): string =>
  JSON.stringify([PROTOCOL, process.version, settings, trustedProxies.rules]);

/** The methods of a worker that other processes may call. */
export const ORDERS = ['serve', 'withdraw', 'routeHosts', 'openShared', 'drain', 'report', 'stop'] as const;
export type OrderName = (typeof ORDERS)[number];

/** One line of JSON from the main process to a worker. */
export interface OrderMessage<Name extends OrderName = OrderName> {
  readonly id: number;
  readonly order: Name;
  readonly parameters: Parameters<Worker[Name]>;
}

/** New connections go to the active worker, and to the standby while there is no active one. */
export const ROLES = ['active', 'standby'] as const;
export type Role = (typeof ROLES)[number];

/** The first line that a worker sends to each main process. */
export interface Introduction {
  readonly kind: string;
  readonly role: Role;
  /** Ports on which the worker already listens, by service. */
  readonly ports: Readonly<Record<string, number>>;
  readonly sharedPort: number | null;
}

/** One line of JSON from a worker to the main process. */
export type WorkerMessage =
  | { readonly introduction: Introduction }
  | { readonly id: number; readonly result?: unknown }
  | { readonly id: number; readonly failure: { readonly message: string; readonly code?: string | undefined } }
  /** Another process stopped the worker. */
  | { readonly last: WorkerReport };

export const sendLine = (socket: Socket, message: OrderMessage | WorkerMessage): void => {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
};

export const onLines = (socket: Socket, take: (message: never) => void): void => {
  socket.on('error', () => undefined);
  const lines = createInterface({ input: socket });
  lines.on('error', () => undefined);
  lines.on('line', line => {
    const message = parsed(line);
    if (message !== undefined) take(message as never);
  });
};

/** Undefined for an incomplete line whose writer was killed. */
const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};
