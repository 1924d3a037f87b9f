/** What the starter tells once everything runs. */
export interface Started {
  readonly baseUrl: string;
  readonly operator: { readonly email: string; readonly password: string };
  readonly natsUrl: string;
  /** A user of NATS that may do everything. */
  readonly natsUser: string;
  readonly natsPassword: string;
  readonly databaseUrl: string;
}

/** What the starter is asked for. */
export type Order =
  | { readonly order: number; readonly kind: 'processes' }
  | { readonly order: number; readonly kind: 'dns'; readonly name: string; readonly value: string }
  | { readonly order: number; readonly kind: 'stop' };

/** What the starter answers. */
export type StarterMessage =
  | { readonly kind: 'started'; readonly started: Started }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'done'; readonly order: number; readonly result: Readonly<Record<string, number>> };
