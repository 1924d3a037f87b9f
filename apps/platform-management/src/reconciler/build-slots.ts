/**
 * How many builds of all services run side by side. Who finds none free waits in line, so that a busy service does not
 * overtake the others again and again.
 */
export class BuildSlots {
  readonly #building = new Set<string>();
  readonly #line = new Set<string>();

  constructor(private readonly size: number) {}

  /** True when the service may build now; else it stands in line, and asks again. */
  tryTake(webServiceId: string): boolean {
    if (this.#building.has(webServiceId)) return true;
    this.#line.add(webServiceId);
    const ahead = [...this.#line].indexOf(webServiceId);
    if (this.#building.size + ahead >= this.size) return false;
    this.take(webServiceId);
    return true;
  }

  /** For a build that an earlier leader began: it goes on, however many there are. */
  take(webServiceId: string): void {
    this.#line.delete(webServiceId);
    this.#building.add(webServiceId);
  }

  /** The service builds no more, or wants to no more. */
  leave(webServiceId: string): void {
    this.#line.delete(webServiceId);
    this.#building.delete(webServiceId);
  }

  get taken(): number {
    return this.#building.size;
  }
}
