import { Module } from '@nestjs/common';
import { FindCaller } from './find-caller.js';

/** The callers of this installation, for a gateway of several. */
@Module({ providers: [FindCaller] })
export class CallersModule {}
