/** `service.json` of a service. */
export interface Service {
  readonly name: string;
  /** The team that reviews its changes and gets its alerts. */
  readonly owner: string;
  /** Paths that the team owns besides. */
  readonly also: readonly string[];
  /** Whether it runs with a user of NATS, health checks and a chart; the load balancer does not. */
  readonly hosted: boolean;
  readonly database: boolean;
  /** Secrets that it shares with others. */
  readonly secrets: readonly ('link-secrets' | 'encryption-keys')[];
  /** Ports on one server. */
  readonly ports: { readonly health?: number };
  readonly slo?: ServiceLevel;
}

/** What users can rely on, as the fraction of good events. */
export interface ServiceLevel {
  /** Percentage of good events in 30 days. */
  readonly objective: number;
  readonly promise: string;
  /** Queries of the rates of bad events and of all events in `[window]`. */
  readonly bad: string;
  readonly total: string;
}

export declare const services: (root?: string) => readonly Service[];
export declare const hostedServices: (root?: string) => readonly string[];
export declare const servicesWithDatabase: (root?: string) => readonly string[];
