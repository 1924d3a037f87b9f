import { Injectable } from '@nestjs/common';
import {
  beginSourceUpload,
  discardSourceUpload,
  putSourceUploadPart,
  Refusal,
  type ReplyOf,
  type RequestOf,
} from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';
import { SourceUploads } from './source-uploads.js';

/** Receives an archive in parts, before it is deployed. */
@Injectable()
export class ReceiveSourceUpload {
  constructor(
    private readonly uploads: SourceUploads,
    private readonly runtime: Runtime,
  ) {}

  @Handles(beginSourceUpload)
  async begin(request: RequestOf<typeof beginSourceUpload>): Promise<ReplyOf<typeof beginSourceUpload>> {
    await this.uploads.requireSpace(request, request.web_service_id);
    if (!(await this.runtime.features()).has('uploads'))
      throw new Refusal(
        'uploads_not_supported',
        'this installation builds no uploads; push the source to a Git repository and deploy that',
      );
    await this.uploads.begin(request.web_service_id, request.upload_id);
    return {};
  }

  @Handles(putSourceUploadPart)
  async put(request: RequestOf<typeof putSourceUploadPart>): Promise<ReplyOf<typeof putSourceUploadPart>> {
    await this.uploads.put(request.upload_id, request.part, Buffer.from(request.content, 'base64'));
    return {};
  }

  @Handles(discardSourceUpload)
  async discard({ upload_id }: RequestOf<typeof discardSourceUpload>): Promise<ReplyOf<typeof discardSourceUpload>> {
    await this.uploads.delete([upload_id]);
    return {};
  }
}
