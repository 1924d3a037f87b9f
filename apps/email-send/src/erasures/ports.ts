import type { ErasureOfService, StepReply } from './erasure.js';

/** Runs erasure steps in the services. */
export abstract class ErasureSteps {
  /** @throws with a message for operators when the service did not reply. */
  abstract run(
    service: ErasureOfService['service'],
    step: { readonly address: string; readonly replacement: string; readonly cursor: string | null },
  ): Promise<StepReply>;
}
