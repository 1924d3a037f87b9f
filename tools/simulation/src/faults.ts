/**
 * The fault of one port call. With `fails_after` and `crashes_after` the call takes effect first, as with a commit whose
 * confirmation is lost; the caller cannot distinguish them from `_before`.
 */
export type Fault = 'fails_before' | 'fails_after' | 'crashes_before' | 'crashes_after';

export const FAULTS: readonly Fault[] = ['fails_before', 'fails_after', 'crashes_before', 'crashes_after'];

/** The faults of a run by the number of the port call. */
export class FaultPlan {
  /** Port calls made so far. */
  calls = 0;
  /** Descriptions of the calls with a fault, for the report of a violation. */
  readonly met: string[] = [];

  constructor(private readonly faults: ReadonlyMap<number, Fault> = new Map()) {}

  next(port: string): Fault | undefined {
    const number = this.calls++;
    const fault = this.faults.get(number);
    if (fault) this.met.push(`call ${number} (${port}) ${fault}`);
    return fault;
  }
}
