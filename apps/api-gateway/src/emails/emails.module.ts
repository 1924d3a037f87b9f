import { Module } from '@nestjs/common';
import { EmailsController } from './emails.controller.js';

@Module({ controllers: [EmailsController] })
export class EmailsModule {}
