import { Module } from '@nestjs/common';
import { ClientPackagesController } from './client-packages.controller.js';

/** What users install from this installation. */
@Module({ controllers: [ClientPackagesController] })
export class ClientPackagesModule {}
