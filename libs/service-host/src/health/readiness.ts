/** One thing that has to be well for the service to be ready; it throws, or outlasts two seconds, when it is not. */
export interface ReadinessCheck {
  readonly name: string;
  check(): Promise<void> | void;
}

/** What the service's readiness depends on; also the injection token. */
export class Readiness {
  readonly #checks: ReadinessCheck[] = [];
  #stopping = false;

  /** A service adds what it cannot work without: "relay", "runtime". */
  add(check: ReadinessCheck): void {
    this.#checks.push(check);
  }

  /** From now on never ready: load balancers send no more while work under way is finished. */
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
