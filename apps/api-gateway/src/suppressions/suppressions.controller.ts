import { Controller, Get, Param, Query } from '@nestjs/common';
import { exportSuppressions, listSuppressedAddresses, suppressionLines, suppressionsHead } from '@postern/contracts';
import { z } from 'zod';
import { CurrentSession, type Session } from '../infrastructure/http/access/session.js';
import { RequiresSession } from '../infrastructure/http/access/session-authentication.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { exportFile } from '../infrastructure/http/server/export-file.js';
import { queryShape } from '../infrastructure/http/validation/query-parameters.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';

const path = z.object({ service_id: z.uuid() });
const listQuery = listSuppressedAddresses.request.omit({ service_id: true }).extend({
  offset: z.int().min(0).max(1_000_000_000).default(0),
  format: z
    .enum(['json', 'csv'])
    .default('json')
    .describe('`csv` returns all entries as a file; `limit` and `offset` do not apply.'),
});
const query = queryShape(listQuery.shape);

/** Not derived from a contract, because it also responds with a file. */
@Controller('dashboard/api/email-services/:service_id/suppressions')
export class SuppressionsController {
  constructor(private readonly services: ServiceClient) {}

  @Get()
  @RequiresSession('service-owner')
  @Describes({
    operation: 'Suppressions.list',
    requests: [listSuppressedAddresses],
    summary: 'List the addresses that bounced hard, complained or were added, newest first',
    also: { 404: '`service_not_found`' },
    codes: { 404: ['service_not_found'] },
    contentType: 'text/csv',
  })
  list(
    @CurrentSession() session: Session,
    @Param({ schema: path }) { service_id }: z.output<typeof path>,
    @Query({ schema: query }) { format, search, ...page }: z.output<typeof listQuery>,
  ) {
    const filter = { service_id, ...(search === undefined ? {} : { search }) };
    if (format === 'json') return this.services.request(listSuppressedAddresses, { ...filter, ...page }, session);
    return exportFile({
      name: 'suppressions.csv',
      contentType: 'text/csv; charset=utf-8',
      head: suppressionsHead(),
      step: async from => {
        const { entries, after } = await this.services.request(exportSuppressions, { ...filter, after: from }, session);
        return { lines: suppressionLines(entries), next: after };
      },
    });
  }
}
