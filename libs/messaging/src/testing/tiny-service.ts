import 'reflect-metadata';
import type { INestMicroservice, Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { connectNats, type NatsLink } from '../connection.js';
import { type Log, silentLog } from '../log.js';
import { PosternServer, type PosternServerOptions } from '../server/postern-server.js';

export interface TinyService {
  readonly app: INestMicroservice;
  readonly link: NatsLink;
  stop(): Promise<void>;
}

/** One Nest service with one controller, on a connection of its own. */
export const startTinyService = async (
  url: string,
  controller: Type,
  options: Partial<Omit<PosternServerOptions, 'link'>> = {},
): Promise<TinyService> => {
  const link = await connectNats({ servers: url, name: 'tiny-service' });
  const log: Log = options.log ?? silentLog;
  const strategy = new PosternServer({ service: 'email-send', ...options, link, log });
  const module = await Test.createTestingModule({ controllers: [controller] }).compile();
  const app = module.createNestMicroservice({ strategy, logger: false });
  await app.listen();
  return {
    app,
    link,
    async stop() {
      await app.close();
      await link.close();
    },
  };
};
