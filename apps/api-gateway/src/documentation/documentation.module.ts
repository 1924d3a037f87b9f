import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { OpenApiDocuments } from '../infrastructure/http/openapi/documents.js';
import { DocumentationPagesController } from './documentation-pages.controller.js';
import { OpenApiController } from './open-api.controller.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [OpenApiController, DocumentationPagesController],
  providers: [OpenApiDocuments],
})
export class DocumentationModule {}
