import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { OpenApiDocuments } from '../infrastructure/http/openapi/documents.js';
import { DocumentationController } from './documentation.controller.js';

@Module({ imports: [DiscoveryModule], controllers: [DocumentationController], providers: [OpenApiDocuments] })
export class DocumentationModule {}
