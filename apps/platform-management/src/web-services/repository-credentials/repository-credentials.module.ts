import { Module } from '@nestjs/common';
import { EncryptionModule } from '../../infrastructure/encryption/encryption.module.js';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { WebServicesModule } from '../services/web-services.module.js';
import { CreateDeployKey } from './create-deploy-key.js';
import { DeleteDeployKey } from './delete-deploy-key.js';
import { DeleteGitToken } from './delete-git-token.js';
import { DeleteRegistryCredentials } from './delete-registry-credentials.js';
import { GetRepositoryCredentials } from './get-repository-credentials.js';
import { RepositoryCredentials } from './repository-credentials.js';
import { SetGitToken } from './set-git-token.js';
import { SetRegistryCredentials } from './set-registry-credentials.js';

/** Deploy keys, access tokens and registry credentials, for private repositories and images. */
@Module({
  imports: [prisma, EncryptionModule, WebServicesModule],
  providers: [
    CreateDeployKey,
    DeleteDeployKey,
    SetGitToken,
    DeleteGitToken,
    SetRegistryCredentials,
    DeleteRegistryCredentials,
    GetRepositoryCredentials,
    RepositoryCredentials,
  ],
  exports: [RepositoryCredentials],
})
export class RepositoryCredentialsModule {}
