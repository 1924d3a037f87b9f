import { Module } from '@nestjs/common';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { RelayModule } from '../relay/relay.module.js';
import { CodeOptOuts } from './code-opt-outs.js';
import { OptOutOfCodes } from './opt-out-of-codes.js';
import { MailboxHashes, OptOutLinks } from './ports.js';
import { PostgresMailboxHashes } from './postgres-mailbox-hashes.js';
import { RemoveCodeOptOut } from './remove-code-opt-out.js';
import { SignedOptOutLinks } from './signed-opt-out-links.js';

/** Mailboxes that refuse verification codes and invitations. */
@Module({
  imports: [PostgresModule, RelayModule],
  providers: [
    OptOutOfCodes,
    CodeOptOuts,
    RemoveCodeOptOut,
    { provide: MailboxHashes, useClass: PostgresMailboxHashes },
    { provide: OptOutLinks, useClass: SignedOptOutLinks },
  ],
  exports: [MailboxHashes, CodeOptOuts, OptOutLinks],
})
export class CodeOptOutsModule {}
