export interface StoredHook {
  readonly id: string;
  readonly webServiceId: string;
  readonly createdAt: Date;
}

/** A hook that was called, with what decides about its call. */
export interface CalledHook extends StoredHook {
  readonly secret: string;
  /** Who created the web service. */
  readonly userId: string;
  /** Null for the default branch. */
  readonly branch: string | null;
  readonly autoDeploy: boolean;
}

/** Whose hook it is. */
export interface HookOwner {
  readonly id: string;
  readonly webServiceId: string;
  readonly workspaceId: string;
}

export type HookOutcome = 'deployed' | 'recorded' | 'ignored';

export interface HookDelivery {
  readonly at: Date;
  readonly outcome: HookOutcome;
  readonly reason: string | null;
  readonly deploymentId: string | null;
}

export interface NewDelivery extends Omit<HookDelivery, 'at'> {
  /** The same for the same event. */
  readonly digest: string;
}

/** The deploy hooks of web services, at most one each. Tokens are stored as hashes, secrets encrypted. */
export abstract class DeployHooks {
  /** Replaces the hook that the web service has. Refuses with `web_service_not_found` for a deleted one. */
  abstract put(webServiceId: string, tokenHash: string, secret: string): Promise<string>;
  abstract of(webServiceId: string): Promise<StoredHook | undefined>;
  /** Undefined also for a deleted web service. */
  abstract byToken(tokenHash: string): Promise<CalledHook | undefined>;
  /** The same without its secret. */
  abstract ownerOf(tokenHash: string): Promise<HookOwner | undefined>;
  /** @returns whether there was one. */
  abstract remove(webServiceId: string): Promise<boolean>;

  /** The last deliveries, newest first. */
  abstract deliveriesOf(hookId: string): Promise<readonly HookDelivery[]>;
  /**
   * Adds a delivery, of concurrent ones with the same digest only the first, and forgets old ones. A delivery that was
   * to deploy and did not, because its process was killed, can be added again after a minute.
   */
  abstract add(hookId: string, delivery: NewDelivery, mostPerMinute: number): Promise<'added' | 'known' | 'too_many'>;

  /** Requests the deployment of a delivery, of the configured branch. If that fails, the delivery is forgotten. */
  abstract deploy(hook: CalledHook, delivery: NewDelivery & { readonly deploymentId: string }): Promise<void>;
}
