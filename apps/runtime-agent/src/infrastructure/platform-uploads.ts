import { Injectable } from '@nestjs/common';
import { readSourceUploadPart } from '@postern/contracts';
import { RequestClient } from '@postern/messaging';
import { SourceUploads } from '@postern/runtime';

/** Reads archives from the control plane, which stores them. */
@Injectable()
export class PlatformUploads extends SourceUploads {
  constructor(private readonly requests: RequestClient) {
    super();
  }

  async *read(uploadId: string): AsyncGenerator<Uint8Array> {
    for (let part = 0; ; part += 1) {
      const { content } = await this.requests.request(readSourceUploadPart, { upload_id: uploadId, part });
      if (content === null) return;
      yield Buffer.from(content, 'base64');
    }
  }
}
