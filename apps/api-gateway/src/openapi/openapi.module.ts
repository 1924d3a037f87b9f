import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DocumentationController } from './documentation.controller.js';
import { OpenApiDocuments } from './documents.js';

@Module({ imports: [DiscoveryModule], controllers: [DocumentationController], providers: [OpenApiDocuments] })
export class OpenApiModule {}
