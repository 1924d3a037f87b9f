/** A check that throws, or takes more than two seconds, if the service is not ready. */
export interface ReadinessCheck {
  readonly name: string;
  /** Details for the operator may be returned. */
  check(): Promise<Readonly<Record<string, unknown>>> | Promise<void> | void;
}

/** The readiness checks of the service; also the injection token. */
export class Readiness {
  readonly #checks: ReadinessCheck[] = [];
  #stopping = false;

  /** Adds a check for a dependency of the service, such as "relay" or "runtime". */
  add(check: ReadinessCheck): void {
    this.#checks.push(check);
  }

  /** Makes the service not ready, so that load balancers send no requests during the shutdown. */
  stop(): void {
    this.#stopping = true;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  get checks(): readonly ReadinessCheck[] {
    return this.#checks;
  }
}
