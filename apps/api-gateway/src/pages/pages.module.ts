import { Module } from '@nestjs/common';
import { DashboardPagesController } from './dashboard-pages.controller.js';
import { RootController } from './root.controller.js';

@Module({ controllers: [DashboardPagesController, RootController] })
export class PagesModule {}
