import { closeWorkspace, type RequestOf } from '@postern/contracts';
import { connectNats, PosternServer, silentLog } from '@postern/messaging';

/** Replies to platform-management over NATS in place of email-send. */
export class ServedEmailServices {
  readonly received: RequestOf<typeof closeWorkspace>[] = [];
  /** Number of email services in every workspace. */
  count = 0;
  /** Awaited before each reply. */
  beforeReply: () => Promise<unknown> = async () => undefined;

  private constructor(private readonly close: () => Promise<void>) {}

  static async start(servers: string): Promise<ServedEmailServices> {
    const link = await connectNats({ servers, name: 'email-send' });
    const server = new PosternServer({ link, service: 'email-send', log: silentLog });
    const served = new ServedEmailServices(async () => {
      await server.close();
      await link.close();
    });
    server.handle(closeWorkspace, async request => {
      served.received.push(closeWorkspace.request.parse(request));
      await served.beforeReply();
      return { email_services: served.count };
    });
    server.listen();
    return served;
  }

  stop(): Promise<void> {
    return this.close();
  }
}
