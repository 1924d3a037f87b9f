/**
 * What happens to one call of a port. `fails_after` and `crashes_after` take effect first: the caller cannot tell them
 * from their counterparts, as with a commit whose confirmation is lost.
 */
export type Fault = 'fails_before' | 'fails_after' | 'crashes_before' | 'crashes_after';

export const FAULTS: readonly Fault[] = ['fails_before', 'fails_after', 'crashes_before', 'crashes_after'];

/** Which port calls of a run meet which fault, by their number in order. */
export class FaultPlan {
  /** Port calls made so far. */
  calls = 0;
  /** The calls that met a fault, in words, for the report of a violation. */
  readonly met: string[] = [];

  constructor(private readonly faults: ReadonlyMap<number, Fault> = new Map()) {}

  next(port: string): Fault | undefined {
    const number = this.calls++;
    const fault = this.faults.get(number);
    if (fault) this.met.push(`call ${number} (${port}) ${fault}`);
    return fault;
  }
}
