import { Module } from '@nestjs/common';
import { GetOwnerMailFacts } from './get-owner-mail-facts.js';
import { GetWorkspaceOwners } from './get-workspace-owners.js';
import { ListStatusMails } from './list-status-mails.js';
import { OwnerMailSources } from './owner-mail-sources.js';

/** Answers the requests of email-send for mail to the owners of a workspace. */
@Module({
  providers: [GetOwnerMailFacts, GetWorkspaceOwners, ListStatusMails, OwnerMailSources],
})
export class OwnerMailModule {}
