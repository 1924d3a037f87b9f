import { Module } from '@nestjs/common';
import { MessagesModule } from '../messages/messages.module.js';
import { TrackedEmailsModule } from '../tracked-emails/tracked-emails.module.js';
import { BounceRuleRepository } from './bounce-rule-repository.js';
import { BounceRules } from './bounce-rules.js';
import { CorrectBounces } from './correct-bounces.js';

/** Rules of owners for the classification of bounces. `tracked-emails` reads them. */
@Module({
  imports: [TrackedEmailsModule, MessagesModule],
  providers: [BounceRuleRepository, BounceRules, CorrectBounces],
})
export class BounceRulesModule {}
