import type { Erasure, ErasureOfService, RunningErasure, StepReply } from './erasure.js';

/** An erasure that is not completed. The address is undefined when no encryption key opens it. */
export interface StoredErasure {
  readonly erasure: RunningErasure;
  readonly address: string | undefined;
  /** Changes with every update of the record. */
  readonly revision: number;
}

/** Stored erasures. The address is sealed while an erasure runs; afterwards only a keyed hash of it remains. */
export abstract class ErasureRepository {
  /** Records the erasure of an address, joins one that is running, or restarts a completed one. */
  abstract request(address: string, at: Date): Promise<Erasure>;
  abstract find(erasureId: string): Promise<Erasure | undefined>;
  abstract newest(limit: number): Promise<readonly Erasure[]>;
  abstract running(): Promise<readonly StoredErasure[]>;
  /** Records progress. Returns false, without writing, when the record changed since it was read. */
  abstract save(erasure: RunningErasure, revision: number): Promise<boolean>;
  /** Calls `work` in one replica at a time. */
  abstract whileLeading(stop: AbortSignal, work: (lost: AbortSignal) => Promise<void>): Promise<void>;
}

/** Runs erasure steps in the services. */
export abstract class ErasureSteps {
  /** @throws with a message for operators when the service did not reply. */
  abstract run(
    service: ErasureOfService['service'],
    step: { readonly address: string; readonly replacement: string; readonly cursor: string | null },
  ): Promise<StepReply>;
}
