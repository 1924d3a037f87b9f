import type { EventMetadata, RecordedEvent } from '../event.js';
import { type Upcasters, upcast } from '../upcasting.js';

export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly stream_id: string;
  readonly version: number;
  readonly data: object;
  readonly metadata: EventMetadata;
  readonly occurred_at: Date;
  readonly txid: string;
  readonly pos: string;
}

export const STORED_COLUMNS =
  'id, type, stream_id, version, data, metadata, occurred_at, txid::text AS txid, pos::text AS pos';

export const recordedEvent = (row: StoredEvent, upcasters: Upcasters): RecordedEvent =>
  upcast(
    {
      id: row.id,
      type: row.type,
      streamId: row.stream_id,
      version: row.version,
      data: row.data,
      metadata: row.metadata,
      occurredAt: row.occurred_at,
      position: { txid: row.txid, pos: row.pos },
    },
    upcasters,
  );
