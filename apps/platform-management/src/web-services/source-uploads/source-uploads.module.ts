import { Module } from '@nestjs/common';
import { RuntimeModule } from '../../infrastructure/runtime/runtime.module.js';
import { WebServicesModule } from '../services/web-services.module.js';
import { DeleteOldUploads } from './delete-old-uploads.js';
import { ReadSourceUpload } from './read-source-upload.js';
import { ReceiveSourceUpload } from './receive-source-upload.js';
import { SourceUploads } from './source-uploads.js';
import { StoredUploads } from './stored-uploads.js';

/** The archives that are deployed instead of a commit. */
@Module({
  imports: [RuntimeModule, WebServicesModule],
  providers: [SourceUploads, StoredUploads, ReceiveSourceUpload, ReadSourceUpload, DeleteOldUploads],
  exports: [StoredUploads],
})
export class SourceUploadsModule {}
