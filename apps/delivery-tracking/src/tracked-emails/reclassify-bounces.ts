import { type ReplyOf, type RequestOf, reclassifyBounces } from '@postern/contracts';
import { BOUNCE_RULES_VERSION, classifyBounce } from '@postern/mail';
import { Handles } from '@postern/messaging';
import { classificationOf } from './bounce-classification.js';
import { BounceNotices } from './bounce-notices.js';
import { EmailSignals } from './email-signals.js';
import type { BounceNotice } from './ports.js';

const BATCH_SIZE = 200;

/**
 * Reclassifies stored notices by the current rules. A bounce whose type changes is published again with its new type.
 * Idempotent.
 */
@Handles(reclassifyBounces)
export class ReclassifyBounces {
  constructor(
    private readonly notices: BounceNotices,
    private readonly signals: EmailSignals,
  ) {}

  async execute({ after_id }: RequestOf<typeof reclassifyBounces>): Promise<ReplyOf<typeof reclassifyBounces>> {
    const notices = await this.notices.findOlderThanVersion(BOUNCE_RULES_VERSION, after_id ?? '0', BATCH_SIZE);
    const outcomes = await Promise.all(notices.map(notice => this.#reclassify(notice)));
    return {
      rules_version: BOUNCE_RULES_VERSION,
      read: notices.length,
      changed: outcomes.filter(({ kind }) => kind === 'recorded').length,
      next_after_id: notices.length < BATCH_SIZE ? null : notices.at(-1)!.id,
    };
  }

  #reclassify({ emailId, index, evidence }: BounceNotice) {
    const { type: bounceType, ...found } = classifyBounce(evidence);
    const classification = classificationOf(found);
    const at = new Date().toISOString();
    return this.signals.record(emailId, { kind: 'reclassified', index, bounceType, classification, at }, 'operator');
  }
}
