import { Module } from '@nestjs/common';
import { Workspaces } from './workspaces.js';

/** The workspaces that own email services. */
@Module({ providers: [Workspaces], exports: [Workspaces] })
export class WorkspacesModule {}
