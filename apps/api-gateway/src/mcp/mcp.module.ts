import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { McpController } from './mcp.controller.js';

/** The Model Context Protocol over HTTP. */
@Module({ imports: [ServiceClientModule, DiscoveryModule], controllers: [McpController] })
export class McpModule {}
