import PostalMime from 'postal-mime';
import type { Visit } from '../observed-traffic.js';
import type { TakenMail } from '../relay/relay.js';
import type { SeededRandom } from '../run/random.js';

const OPENS = 0.25;
const CLICKS = 0.4;
const READS_AFTER_MS = 500;
const WITHIN_MS = 15_000;
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Opens a share of the delivered messages: fetches their pixel, and follows the link in some of them. */
export class Reader {
  readonly visits: Visit[] = [];
  private readonly underWay = new Set<Promise<void>>();

  constructor(private readonly random: SeededRandom) {}

  /** Must be called when a message was delivered. */
  delivered(mail: TakenMail): void {
    if (!this.random.chance(OPENS)) return;
    const reading: Promise<void> = this.read(mail, this.random.chance(CLICKS)).finally(() =>
      this.underWay.delete(reading),
    );
    this.underWay.add(reading);
  }

  async stop(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private async read(mail: TakenMail, follows: boolean): Promise<void> {
    const { html = '' } = await PostalMime.parse(mail.raw);
    await new Promise(resolve => setTimeout(resolve, READS_AFTER_MS));
    const pixel = /<img[^>]+src="([^"]+)"/.exec(html)?.[1];
    const link = /href=["']([^"']+)["']/.exec(html)?.[1];
    if (pixel) await this.visit('opened', pixel, mail);
    if (follows && link) await this.visit('clicked', link, mail);
  }

  private async visit(kind: Visit['kind'], url: string, { copy }: TakenMail): Promise<void> {
    const at = Date.now();
    const answered = await fetch(url.replaceAll('&amp;', '&'), {
      headers: { 'user-agent': BROWSER },
      redirect: 'manual',
      signal: AbortSignal.timeout(WITHIN_MS),
    }).then(
      async response => {
        await response.arrayBuffer();
        return response.status < 400;
      },
      () => false,
    );
    this.visits.push({ kind, emailId: copy.emailId, recipient: copy.recipient, at, answered });
  }
}
