import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { acceptEndpointUrl, InvalidEndpointUrl, OutboundGuard } from '@postern/outbound';

/** Decides which webhook URLs are accepted. Checks the form of a URL and the current addresses of its host. */
@Injectable()
export class WebhookUrls {
  constructor(private readonly guard: OutboundGuard) {}

  /** Returns the URL that requests will use. Refuses `invalid_url` with the reason. */
  async accept(text: string): Promise<string> {
    try {
      return (await acceptEndpointUrl(text, this.guard)).href;
    } catch (error) {
      if (error instanceof InvalidEndpointUrl) throw new Refusal('invalid_url', `url: ${error.message}`);
      throw error;
    }
  }
}
