/** Limits concurrent builds of all web services. Web services without a free slot are queued. */
export class BuildSlots {
  readonly #building = new Set<string>();
  #waiting: string[] = [];

  constructor(private readonly size: number) {}

  /** Sets the order of the queue; a web service that is not listed is queued last. */
  setOrder(webServiceIds: readonly string[]): void {
    this.#waiting = webServiceIds.filter(id => !this.#building.has(id));
  }

  /** Returns true if the web service may build now; otherwise it is queued and must try again. */
  tryAcquire(webServiceId: string): boolean {
    if (this.#building.has(webServiceId)) return true;
    if (!this.#waiting.includes(webServiceId)) this.#waiting.push(webServiceId);
    const ahead = this.#waiting.indexOf(webServiceId);
    if (this.#building.size + ahead >= this.size) return false;
    this.acquire(webServiceId);
    return true;
  }

  /** Acquires a slot beyond the limit, for a build that a previous leader started. */
  acquire(webServiceId: string): void {
    this.#forget(webServiceId);
    this.#building.add(webServiceId);
  }

  /** Releases the slot of the web service, or its place in the queue. */
  release(webServiceId: string): void {
    this.#forget(webServiceId);
    this.#building.delete(webServiceId);
  }

  get taken(): number {
    return this.#building.size;
  }

  #forget(webServiceId: string): void {
    this.#waiting = this.#waiting.filter(id => id !== webServiceId);
  }
}
