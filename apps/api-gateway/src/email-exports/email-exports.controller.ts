import { Controller, Get, Param, Query } from '@nestjs/common';
import { emailExportHead, emailExportLines, exportEmails, listEmails } from '@postern/contracts';
import { z } from 'zod';
import { CurrentSession, type Session } from '../infrastructure/http/access/session.js';
import { RequiresSession } from '../infrastructure/http/access/session-authentication.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { exportFile } from '../infrastructure/http/server/export-file.js';
import { queryShape } from '../infrastructure/http/validation/query-parameters.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';

const path = z.object({ service_id: z.uuid() });
const filter = listEmails.request.omit({ service_id: true, limit: true, offset: true });
const query = queryShape(filter.shape);

/** Not derived from a contract, because it responds with a file. */
@Controller('dashboard/api/email-services/:service_id/emails-export')
export class EmailExportsController {
  constructor(private readonly services: ServiceClient) {}

  @Get()
  @RequiresSession('service-owner')
  @Describes({
    operation: 'Messages.export',
    requests: [exportEmails],
    summary: 'Export messages with the state of every recipient as CSV, newest first',
    description: 'One line for each recipient. The filters are those of the list of messages.',
    also: { 404: '`service_not_found`' },
    codes: { 404: ['service_not_found'] },
    contentType: 'text/csv',
    isText: true,
  })
  export(
    @CurrentSession() session: Session,
    @Param({ schema: path }) { service_id }: z.output<typeof path>,
    @Query({ schema: query }) given: z.output<typeof filter>,
  ) {
    return exportFile({
      name: 'messages.csv',
      contentType: 'text/csv; charset=utf-8',
      head: emailExportHead(),
      step: async from => {
        const { emails, after } = await this.services.request(
          exportEmails,
          { ...given, service_id, after: from },
          session,
        );
        return { lines: emailExportLines(emails), next: after };
      },
    });
  }
}
