import { Module } from '@nestjs/common';
import { UsersModule } from '../accounts/users/users.module.js';
import { GetSystem } from './get-system.js';

/** The state of an installation on one server, for operators. */
@Module({ imports: [UsersModule], providers: [GetSystem] })
export class SystemModule {}
