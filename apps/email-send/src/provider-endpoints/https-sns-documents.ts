import { get } from 'node:https';
import { Injectable } from '@nestjs/common';
import { OutboundGuard } from '@postern/outbound';
import { SnsDocuments } from './ports.js';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;
const guard = new OutboundGuard({ allowPrivate: false });

/** Over HTTPS, at public addresses only. */
@Injectable()
export class HttpsSnsDocuments extends SnsDocuments {
  override get(url: URL): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = get(
        url,
        { lookup: guard.lookup, signal: AbortSignal.timeout(TIMEOUT_MS), headers: { connection: 'close' } },
        response => {
          if (response.statusCode !== 200) {
            request.destroy();
            reject(new Error(`${url.host} answered ${response.statusCode}`));
            return;
          }
          const chunks: Buffer[] = [];
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > MAX_BYTES) request.destroy(new Error(`the answer of ${url.host} is too long`));
            else chunks.push(chunk);
          });
          response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
          response.on('error', reject);
        },
      );
      request.on('error', reject);
    });
  }
}
