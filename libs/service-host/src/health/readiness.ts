/** A check that throws, or takes more than two seconds, when the service is not ready. */
export interface ReadinessCheck {
  readonly name: string;
  check(): Promise<void> | void;
}

/** The readiness checks of the service; also the injection token. */
export class Readiness {
  readonly #checks: ReadinessCheck[] = [];
  #stopping = false;

  /** Adds a check for a dependency that the service needs: "relay", "runtime". */
  add(check: ReadinessCheck): void {
    this.#checks.push(check);
  }

  /** Makes the service not ready, so that load balancers send nothing during the shutdown. */
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
