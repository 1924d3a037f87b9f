import { Module } from '@nestjs/common';
import { EncryptionModule } from '../../infrastructure/encryption/encryption.module.js';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { PreviewsModule } from '../previews/previews.module.js';
import { WebServicesModule } from '../services/web-services.module.js';
import { CreateDeployHook } from './create-deploy-hook.js';
import { DeleteDeployHook } from './delete-deploy-hook.js';
import { DeployHooks } from './deploy-hooks.js';
import { FindDeployHook } from './find-deploy-hook.js';
import { GetDeployHook } from './get-deploy-hook.js';
import { HookCalls } from './hook-calls.js';
import { ReceiveDeployHook } from './receive-deploy-hook.js';

/** Deploy hooks: URLs with which Git hosts and scripts deploy web services. */
@Module({
  imports: [prisma, EncryptionModule, PreviewsModule, WebServicesModule],
  providers: [
    CreateDeployHook,
    DeleteDeployHook,
    FindDeployHook,
    GetDeployHook,
    ReceiveDeployHook,
    HookCalls,
    DeployHooks,
  ],
})
export class DeployHooksModule {}
