export interface StoredHook {
  readonly id: string;
  readonly webServiceId: string;
  readonly createdAt: Date;
}

/** A called hook with the settings that determine the outcome of the call. */
export interface CalledHook extends StoredHook {
  readonly secret: string;
  /** The creator of the web service. */
  readonly userId: string;
  /** Null for the default branch. */
  readonly branch: string | null;
  readonly autoDeploy: boolean;
}

/** A hook with its web service and workspace. */
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
  /** Identifies the event; repeated deliveries of an event have the same digest. */
  readonly digest: string;
}

/** The deploy hooks of web services, at most one each. Tokens are stored as hashes, secrets encrypted. */
export abstract class DeployHooks {
  /** Creates or replaces the hook of the web service. Refuses with `web_service_not_found` if it is deleted. */
  abstract put(webServiceId: string, tokenHash: string, secret: string): Promise<string>;
  abstract of(webServiceId: string): Promise<StoredHook | undefined>;
  /** Undefined also for a deleted web service. */
  abstract byToken(tokenHash: string): Promise<CalledHook | undefined>;
  /** Like `byToken`, without decrypting the secret. */
  abstract ownerOf(tokenHash: string): Promise<HookOwner | undefined>;
  /** @returns whether the web service had a hook. */
  abstract remove(webServiceId: string): Promise<boolean>;

  /** The last deliveries, newest first. */
  abstract deliveriesOf(hookId: string): Promise<readonly HookDelivery[]>;
  /**
   * Adds a delivery and deletes old ones; of concurrent deliveries with the same digest, only the first is added. If a
   * crash prevented the deployment of a delivery, the delivery can be added again after a minute.
   */
  abstract add(hookId: string, delivery: NewDelivery, mostPerMinute: number): Promise<'added' | 'known' | 'too_many'>;

  /** Requests the deployment of the configured branch for a delivery. Deletes the delivery if the request fails. */
  abstract deploy(hook: CalledHook, delivery: NewDelivery & { readonly deploymentId: string }): Promise<void>;
}
