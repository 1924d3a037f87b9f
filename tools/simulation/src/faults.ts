/**
 * The fault of one port call. `fails_after` and `crashes_after` take effect first; the caller cannot distinguish them from
 * `fails_before` and `crashes_before`, as with a commit whose confirmation is lost.
 */
export type Fault = 'fails_before' | 'fails_after' | 'crashes_before' | 'crashes_after';

export const FAULTS: readonly Fault[] = ['fails_before', 'fails_after', 'crashes_before', 'crashes_after'];

/** The fault of each port call of a run, by the sequence number of the call. */
export class FaultPlan {
  /** Number of port calls so far. */
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
