import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { uploadNotFound } from './refusals.js';
import { FIND_COMPLETE_UPLOAD, LIST_OLD_UPLOADS, READ_UPLOAD_PART } from './source-uploads.sql.js';

/** Reads the archives that have arrived. */
@Injectable()
export class StoredUploads {
  constructor(private readonly database: Database) {}

  /** Refuses with `upload_not_found` unless exactly these bytes have arrived. */
  async requireComplete(webServiceId: string, uploadId: string, sizeBytes: number): Promise<void> {
    const values = [uploadId, webServiceId, sizeBytes];
    const query = { name: 'complete-upload', text: FIND_COMPLETE_UPLOAD, values };
    if ((await this.database.pool.query(query)).rows.length === 0) throw uploadNotFound();
  }

  async read(uploadId: string, part: number): Promise<Buffer | undefined> {
    const query = { name: 'read-upload-part', text: READ_UPLOAD_PART, values: [uploadId, part] };
    return (await this.database.pool.query<{ content: Buffer }>(query)).rows[0]?.content;
  }

  async old(): Promise<readonly { readonly id: string; readonly webServiceId: string }[]> {
    const { rows } = await this.database.pool.query<{ id: string; web_service_id: string }>(LIST_OLD_UPLOADS);
    return rows.map(({ id, web_service_id }) => ({ id, webServiceId: web_service_id }));
  }
}
