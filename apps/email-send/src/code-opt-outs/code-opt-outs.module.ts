import { Module } from '@nestjs/common';
import { SendingSettingsModule } from '../emails/sending-settings.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { CountCodeOptOuts } from './count-code-opt-outs.js';
import { OptOutOfCodes } from './opt-out-of-codes.js';
import { CodeOptOuts, MailboxHashes } from './ports.js';
import { PostgresCodeOptOuts } from './postgres-code-opt-outs.js';
import { PostgresMailboxHashes } from './postgres-mailbox-hashes.js';
import { RemoveCodeOptOut } from './remove-code-opt-out.js';

/** Mailboxes that refuse verification codes. */
@Module({
  imports: [PostgresModule, SendingSettingsModule],
  providers: [
    OptOutOfCodes,
    CountCodeOptOuts,
    RemoveCodeOptOut,
    { provide: MailboxHashes, useClass: PostgresMailboxHashes },
    { provide: CodeOptOuts, useClass: PostgresCodeOptOuts },
  ],
  exports: [MailboxHashes, CodeOptOuts],
})
export class CodeOptOutsModule {}
