import type { ServiceWithDatabase } from '@postern/testing';

/** What the starter reports once everything runs. */
export interface Started {
  readonly baseUrl: string;
  readonly operator: { readonly email: string; readonly password: string };
  readonly natsUrl: string;
  /** Certificate authority of NATS (PEM file). */
  readonly natsCaFile: string;
  /** A NATS user with all permissions. */
  readonly natsUser: string;
  readonly natsPassword: string;
  readonly databaseUrl: string;
  /** The TCP port of each service's PostgreSQL; empty if one listens on a Unix socket for all. */
  readonly databasePorts: Readonly<Partial<Record<ServiceWithDatabase, number>>>;
}

/** A request to the starter. */
export type Order =
  | { readonly order: number; readonly kind: 'processes' }
  | { readonly order: number; readonly kind: 'dns'; readonly name: string; readonly value: string }
  | { readonly order: number; readonly kind: 'backup' | 'restore'; readonly services: readonly ServiceWithDatabase[] }
  | { readonly order: number; readonly kind: 'stop' };

/** A message from the starter. */
export type StarterMessage =
  | { readonly kind: 'started'; readonly started: Started }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'done'; readonly order: number; readonly result: Readonly<Record<string, number>> };
