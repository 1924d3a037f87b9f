import { csvLine } from '../csv.js';
import type { AuditEntry } from './audit-log.js';

export const AUDIT_EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type AuditExportFormat = (typeof AUDIT_EXPORT_FORMATS)[number];

const COLUMNS: Readonly<Record<string, (entry: AuditEntry) => string | number | null>> = {
  id: entry => entry.id,
  at: entry => entry.at,
  actor_type: entry => entry.actor.type,
  actor_id: entry => entry.actor.id,
  action: entry => entry.action,
  resource_type: entry => entry.resource.type,
  resource_id: entry => entry.resource.id,
  workspace_id: entry => entry.workspace_id,
  client_network: entry => entry.client.network,
  user_agent: entry => entry.client.user_agent,
  outcome: entry => entry.outcome,
  code: entry => entry.code,
  request_id: entry => entry.request_id,
  times: entry => entry.times,
  actor_name: entry => entry.actor.name ?? null,
  resource_name: entry => entry.resource.name ?? null,
};

/** The text before the entries of an exported audit log. */
export const auditExportHead = (format: AuditExportFormat): string =>
  format === 'csv' ? csvLine(Object.keys(COLUMNS)) : '';

/** Entries of an exported audit log: lines of RFC 4180, or one JSON object per line. */
export const auditExportLines = (format: AuditExportFormat, entries: readonly AuditEntry[]): string =>
  entries
    .map(entry => {
      if (format === 'ndjson') return `${JSON.stringify(entry)}\n`;
      return csvLine(Object.values(COLUMNS).map(read => read(entry)));
    })
    .join('');
