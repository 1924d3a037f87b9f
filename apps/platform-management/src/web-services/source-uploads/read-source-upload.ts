import { type ReplyOf, type RequestOf, readSourceUploadPart } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { StoredUploads } from './stored-uploads.js';

/** Sends an archive to the build, part by part. */
@Handles(readSourceUploadPart)
export class ReadSourceUpload {
  constructor(private readonly uploads: StoredUploads) {}

  async execute(request: RequestOf<typeof readSourceUploadPart>): Promise<ReplyOf<typeof readSourceUploadPart>> {
    const content = await this.uploads.read(request.upload_id, request.part);
    return { content: content?.toString('base64') ?? null };
  }
}
