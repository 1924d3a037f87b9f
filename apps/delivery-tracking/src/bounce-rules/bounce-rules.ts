import { Injectable } from '@nestjs/common';
import {
  type BounceRule,
  createBounceRule,
  deleteBounceRule,
  listBounceRules,
  Refusal,
  type RequestOf,
} from '@postern/contracts';
import { addressKey, MailboxError, meaningOf, parseMailbox } from '@postern/mail';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { comparableText, matches, type OwnBounceRule } from '../tracked-emails/own-bounce-rules.js';
import { BounceRuleRepository, type BounceRuleRow } from './bounce-rule-repository.js';
import { CorrectBounces } from './correct-bounces.js';

/** Rules of the owner of an email service for the classification of its bounces. */
@Injectable()
export class BounceRules {
  constructor(
    private readonly rules: BounceRuleRepository,
    private readonly bounces: CorrectBounces,
  ) {}

  /** With `email_id`, resolves once the bounces of the message are classified again. */
  @Handles(createBounceRule)
  async create(request: RequestOf<typeof createBounceRule>): Promise<BounceRule> {
    const { service_id: serviceId, email_id: emailId, phrase, cause, domain, status_code: statusCode = null } = request;
    const rule: OwnBounceRule = {
      id: uuidv7(),
      phrase: comparableText(phrase),
      cause,
      domain: domain === undefined ? null : normalizedDomain(domain),
      statusCode,
    };
    if (emailId === undefined) return replyOf(await this.rules.add(serviceId, rule));
    const bounced = (await this.bounces.of(serviceId, emailId)).filter(({ address, reason }) =>
      matches(rule, address, reason),
    );
    if (bounced.length === 0) {
      throw new Refusal(
        'bounce_rule_does_not_match',
        'phrase: no bounce of this message has a reply that the rule matches',
      );
    }
    const added = await this.rules.add(serviceId, rule);
    await this.bounces.correct(serviceId, emailId, bounced, meaningOf(cause).type);
    return replyOf(added);
  }

  @Handles(listBounceRules)
  async list({ service_id }: RequestOf<typeof listBounceRules>): Promise<BounceRule[]> {
    return (await this.rules.list(service_id)).map(replyOf);
  }

  @Handles(deleteBounceRule)
  async delete({ service_id, rule_id }: RequestOf<typeof deleteBounceRule>) {
    await this.rules.delete(service_id, rule_id);
    return {};
  }
}

/** In lower case and A-labels. Refuses with `invalid_input`. */
function normalizedDomain(domain: string): string {
  try {
    return addressKey(parseMailbox(`x@${domain}`).address).slice(2);
  } catch (error) {
    if (error instanceof MailboxError) throw new Refusal('invalid_input', `domain: ${error.message}`);
    throw error;
  }
}

const replyOf = ({ id, phrase, cause, domain, status_code, created_at }: BounceRuleRow): BounceRule => ({
  id,
  phrase,
  domain,
  status_code,
  cause,
  bounce_type: meaningOf(cause).type,
  created_at: created_at.toISOString(),
});
