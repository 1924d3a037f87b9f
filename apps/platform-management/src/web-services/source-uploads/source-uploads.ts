import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts/refusal';
import { Database } from '@postern/service-host';
import { type Reach, reachValues } from '../../projects/reached-projects.js';
import { webServiceNotFound } from '../services/aggregate/refusals.js';
import { uploadNotFound } from './refusals.js';
import { BEGIN_UPLOAD, DELETE_UPLOADS, FIND_UPLOAD_SPACE, PUT_UPLOAD_PART } from './source-uploads.sql.js';

/** The largest number of bytes of all uploads of a workspace. */
const WORKSPACE_BYTES = 2 * 2 ** 30;

/** The archives that clients have uploaded, in parts, so that every replica can receive and read them. */
@Injectable()
export class SourceUploads {
  constructor(private readonly database: Database) {}

  /** Refuses with `web_service_not_found` or `upload_space_full`. */
  async requireSpace(caller: Reach, webServiceId: string): Promise<void> {
    const space = { name: 'upload-space', text: FIND_UPLOAD_SPACE, values: [...reachValues(caller), webServiceId] };
    const { rows } = await this.database.pool.query<{ used: number }>(space);
    if (!rows[0]) throw webServiceNotFound();
    if (rows[0].used >= WORKSPACE_BYTES)
      throw new Refusal(
        'upload_space_full',
        'the uploads of the workspace have reached 2 GiB; delete a web service that no longer needs its uploads, or deploy from a Git repository',
      );
  }

  async begin(webServiceId: string, uploadId: string): Promise<void> {
    await this.database.pool.query({ name: 'begin-upload', text: BEGIN_UPLOAD, values: [uploadId, webServiceId] });
  }

  /** Refuses with `upload_not_found`. */
  async put(uploadId: string, part: number, content: Buffer): Promise<void> {
    const query = { name: 'put-upload-part', text: PUT_UPLOAD_PART, values: [uploadId, part, content] };
    if ((await this.database.pool.query(query)).rows.length === 0) throw uploadNotFound();
  }

  async delete(uploadIds: readonly string[]): Promise<void> {
    if (uploadIds.length > 0) await this.database.pool.query(DELETE_UPLOADS, [uploadIds]);
  }
}
