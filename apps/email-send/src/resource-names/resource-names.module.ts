import { Module } from '@nestjs/common';
import { NameResources } from './name-resources.js';

/** The names of resources, for the audit log. */
@Module({ providers: [NameResources] })
export class ResourceNamesModule {}
