/** Limits concurrent builds of all web services. Web services without a free slot queue in the order of their requests. */
export class BuildSlots {
  readonly #building = new Set<string>();
  readonly #queue = new Set<string>();

  constructor(private readonly size: number) {}

  /** True when the web service may build now; otherwise it is queued and has to try again. */
  tryTake(webServiceId: string): boolean {
    if (this.#building.has(webServiceId)) return true;
    this.#queue.add(webServiceId);
    const ahead = [...this.#queue].indexOf(webServiceId);
    if (this.#building.size + ahead >= this.size) return false;
    this.take(webServiceId);
    return true;
  }

  /** Takes a slot beyond the limit, for a build that an earlier leader began. */
  take(webServiceId: string): void {
    this.#queue.delete(webServiceId);
    this.#building.add(webServiceId);
  }

  /** Frees the slot of the web service, or its place in the queue. */
  leave(webServiceId: string): void {
    this.#queue.delete(webServiceId);
    this.#building.delete(webServiceId);
  }

  get taken(): number {
    return this.#building.size;
  }
}
