import { connectNats, type NatsLink } from '../connection.js';
import { type Log, silentLog } from '../log.js';
import { PosternServer, type PosternServerOptions } from '../server/postern-server.js';

export interface TinyService {
  readonly server: PosternServer;
  readonly link: NatsLink;
  stop(): Promise<void>;
}

/** Starts a service with the handlers that `register` adds, on its own connection. */
export const startTinyService = async (
  url: string,
  register: (server: PosternServer) => void,
  options: Partial<Omit<PosternServerOptions, 'link'>> = {},
): Promise<TinyService> => {
  const link = await connectNats({ servers: url, name: 'tiny-service' });
  const log: Log = options.log ?? silentLog;
  const server = new PosternServer({ service: 'email-send', ...options, link, log });
  register(server);
  server.listen();
  return {
    server,
    link,
    async stop() {
      await server.close();
      await link.close();
    },
  };
};
