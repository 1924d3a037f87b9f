import { Body, Controller, Delete, Get, Param, Post, UseGuards } from '@nestjs/common';
import { createPlatformKey, listPlatformKeys, platformKeyInput, revokePlatformKey } from '@postern/contracts';
import type { z } from 'zod';
import { Services } from '../../../ports.js';
import { id } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { SessionGuard } from './session.guard.js';
import { type Session, SignedIn } from './session.js';

@Controller('dashboard/api/platform-keys')
@UseGuards(SessionGuard)
export class PlatformKeysController {
  constructor(private readonly services: Services) {}

  @Post()
  @Answers(createPlatformKey, 'Create a key for the platform API; the key is shown this once')
  create(@SignedIn() session: Session, @Body({ schema: platformKeyInput }) body: z.output<typeof platformKeyInput>) {
    return this.services.ask(createPlatformKey, { ...ownerOf(session), ...body }, session);
  }

  @Get()
  @Answers(listPlatformKeys, 'The user’s keys in this workspace, without the keys themselves')
  list(@SignedIn() session: Session) {
    return this.services.ask(listPlatformKeys, ownerOf(session), session);
  }

  @Delete(':key_id')
  @Answers(revokePlatformKey, 'Revoke a key at once')
  revoke(@SignedIn() session: Session, @Param('key_id', { schema: id }) key_id: string) {
    return this.services.ask(revokePlatformKey, { ...ownerOf(session), key_id }, session);
  }
}

const ownerOf = ({ userId, workspaceId }: Session) => ({ user_id: userId, workspace_id: workspaceId });
