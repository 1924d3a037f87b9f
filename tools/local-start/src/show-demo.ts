import { ApiClient } from './api-client.js';
import { DashboardClient } from './dashboard-client.js';
import { type DemoWorkspace, prepareDemo, sendDemoMessage } from './demo.js';
import { OPERATOR_EMAIL, type RunningPostern } from './postern.js';
import { deploySample, type RunningSample } from './sample-service.js';
import { type ReceivedEvent, WebhookReceiver } from './webhook-receiver.js';

const EVENT_WITHIN_MS = 60_000;
const RETRY_FOR_MS = 180_000;

/** Output of the demo: its steps, and warnings with their remedies. */
export interface DemoOutput {
  readonly step: (line: string) => void;
  readonly warning: (line: string) => void;
}

/**
 * The demo of the local start. A failed step prints a warning and skips the steps that depend on it; it never stops
 * Postern.
 */
export class Demo {
  private readonly arrivals = new Map<string, () => void>();
  private readonly receiver = new WebhookReceiver(event => {
    showEvent(event);
    this.arrivals.get(event.email_id)?.();
  });

  constructor(
    private readonly running: RunningPostern,
    private readonly output: DemoOutput,
  ) {}

  /** Creates the demo workspace, or reuses it. @returns undefined if that failed. */
  prepare(): Promise<DemoWorkspace | undefined> {
    return this.tryTo('prepare the demo workspace', async () => {
      this.output.step('preparing the demo workspace');
      const { running } = this;
      const dashboard = new DashboardClient(running.baseUrl, { retryForMs: RETRY_FOR_MS });
      await dashboard.login(OPERATOR_EMAIL, running.operator.password);
      const demo = await prepareDemo(dashboard, running.home, running.dns, {
        webhookUrl: await this.receiver.listen(),
        mailboxUrl: running.mailboxUrl,
      });
      this.receiver.secret = demo.webhook.secret;
      return demo;
    });
  }

  /** Sends a message and waits for its first event. */
  async showMessage(demo: DemoWorkspace): Promise<void> {
    await this.tryTo('show a message on its way', async () => {
      this.output.step('sending a message through the public API; its events as a signed webhook receives them:');
      const emailId = await sendDemoMessage(this.running.baseUrl, demo.production.api_key);
      await new Promise<void>((resolve, reject) => {
        const deadline = setTimeout(
          () => reject(new Error(`no event of message ${emailId} came within ${EVENT_WITHIN_MS / 1000} s`)),
          EVENT_WITHIN_MS,
        );
        this.arrivals.set(emailId, () => {
          clearTimeout(deadline);
          resolve();
        });
      });
    });
  }

  /** Builds and runs the sample web service. @returns undefined if it does not run. */
  showSample(demo: DemoWorkspace): Promise<RunningSample | undefined> {
    return this.tryTo('run the sample web service', () => {
      const { baseUrl, home } = this.running;
      const platform = new ApiClient(`${baseUrl}/api/v1`, demo.platform.write_key, { retryForMs: RETRY_FOR_MS });
      return deploySample(platform, home, this.output.step);
    });
  }

  close(): void {
    this.receiver.close();
  }

  private async tryTo<Result>(what: string, step: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await step();
    } catch (error) {
      this.output.warning(
        `The demo could not ${what}: ${(error as Error).message}\n` +
          `  Postern itself runs. The next start tries again; Logs: ${this.running.home.path('logs')}`,
      );
      return undefined;
    }
  }
}

const showEvent = (event: ReceivedEvent): void => {
  console.log(`  ✉ ${event.timestamp}  ${event.event.padEnd(10)} ${event.to}  ${JSON.stringify(event.data)}`);
};
