import { Module } from '@nestjs/common';
import { SendingSettingsModule } from '../emails/sending-settings.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { CountCodeOptOuts } from './count-code-opt-outs.js';
import { OptOutOfCodes } from './opt-out-of-codes.js';
import { CodeOptOuts, MailboxHashes, OptOutLinks } from './ports.js';
import { PostgresCodeOptOuts } from './postgres-code-opt-outs.js';
import { PostgresMailboxHashes } from './postgres-mailbox-hashes.js';
import { RemoveCodeOptOut } from './remove-code-opt-out.js';
import { SignedOptOutLinks } from './signed-opt-out-links.js';

/** Mailboxes that refuse verification codes and invitations. */
@Module({
  imports: [PostgresModule, SendingSettingsModule],
  providers: [
    OptOutOfCodes,
    CountCodeOptOuts,
    RemoveCodeOptOut,
    { provide: MailboxHashes, useClass: PostgresMailboxHashes },
    { provide: CodeOptOuts, useClass: PostgresCodeOptOuts },
    { provide: OptOutLinks, useClass: SignedOptOutLinks },
  ],
  exports: [MailboxHashes, CodeOptOuts, OptOutLinks],
})
export class CodeOptOutsModule {}
