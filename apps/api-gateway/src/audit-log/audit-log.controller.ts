import { Controller, Get, Query } from '@nestjs/common';
import {
  AUDIT_EXPORT_FORMATS,
  type AuditExportFormat,
  auditExportHead,
  auditExportLines,
  exportAuditLog,
  listAuditLog,
} from '@postern/contracts';
import { z } from 'zod';
import { CurrentSession, type Session } from '../infrastructure/http/access/session.js';
import { RequiresSession } from '../infrastructure/http/access/session-authentication.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { exportFile } from '../infrastructure/http/server/export-file.js';
import { queryShape } from '../infrastructure/http/validation/query-parameters.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { ResourceNames } from './resource-names.js';

const CONTENT_TYPES: Readonly<Record<AuditExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
};

const auditQuery = listAuditLog.request.omit({ user_id: true, workspace_id: true }).extend({
  format: z
    .enum(['json', ...AUDIT_EXPORT_FORMATS])
    .default('json')
    .describe('`csv` and `ndjson` return all entries as a file; `limit`, `offset`, `after` and `before` do not apply.'),
});
const query = queryShape(auditQuery.shape);

/** Not derived from a contract, because it also responds with files. */
@Controller('dashboard/api/audit-log')
export class AuditLogController {
  constructor(
    private readonly services: ServiceClient,
    private readonly names: ResourceNames,
  ) {}

  @Get()
  @RequiresSession()
  @Describes({
    operation: 'AuditLog.list',
    requests: [listAuditLog],
    summary: 'List the activity in the workspace, newest first',
    description: 'Operators see the entries of all workspaces.',
    contentType: ['text/csv', 'application/x-ndjson'],
  })
  async list(
    @CurrentSession() session: Session,
    @Query({ schema: query }) { format, ...parameters }: z.output<typeof auditQuery>,
  ) {
    const reader = { user_id: session.userId, workspace_id: session.workspaceId };
    if (format === 'json') {
      const page = await this.services.request(listAuditLog, { ...parameters, ...reader }, session);
      return { ...page, items: await this.names.addTo(page.items, session) };
    }
    const { limit: _limit, offset: _offset, after: _after, before: _before, ...filter } = parameters;
    return exportFile({
      name: `audit-log.${format}`,
      contentType: CONTENT_TYPES[format],
      head: auditExportHead(format),
      step: async from => {
        const request = { ...filter, ...reader, cursor: from };
        const { entries, cursor } = await this.services.request(exportAuditLog, request, session);
        return { lines: auditExportLines(format, await this.names.addTo(entries, session)), next: cursor };
      },
    });
  }
}
