import { type Command, InvalidArgumentError } from 'commander';
import { command, group, invocation } from '../command-line.js';
import type { Context } from '../configuration/context.js';
import { emailServiceNamed } from '../email-services.js';
import { interrupted } from '../interruption.js';
import { EventForwarder, newSecret } from '../listening/event-forwarder.js';
import { Listener } from '../listening/listener.js';

const KINDS = ['delivered', 'bounced', 'complained', 'opened', 'clicked'];

interface ListenOptions {
  readonly forwardTo: URL;
  readonly service?: string;
  readonly events?: readonly string[];
  readonly json?: boolean;
}

/** `postern webhooks …`: webhooks for a server that Postern cannot reach. */
export const webhooks = (): Command => group('webhooks', 'Receive events on this machine', [listen()]);

const listen = (): Command =>
  command('listen', 'Forward the events of an email service to a server on this machine, signed like webhooks', [
    'postern webhooks listen --forward-to http://localhost:3000/webhooks/postern',
    'postern webhooks listen --forward-to 3000 --service Shop --events bounced,complained',
  ])
    .requiredOption('--forward-to <url>', 'URL of your server, or a port of this machine', targetFrom)
    .option(
      '--service <id or name>',
      'email service, if you are signed in to the dashboard; otherwise that of the email key',
    )
    .option('--events <kinds>', `only these events: ${KINDS.join(',')}`, kindsFrom)
    .addHelpText(
      'after',
      '\nPrints a signing secret at the start; POSTERN_WEBHOOK_SECRET sets one that stays the same.\nThe command opens the connection, so it works behind a firewall. An event is forwarded once.',
    )
    .action(async (options: ListenOptions) => {
      const { context, output } = invocation(options);
      const secret = context.environment['POSTERN_WEBHOOK_SECRET'] || newSecret();
      const signal = interrupted();
      const { api, listeners, name, ids } = await sourceOf(context, options.service);
      const listener = await Listener.start(api, listeners, signal, message => output.note(message));
      output.line(
        { type: 'listening', ...ids, forward_to: String(options.forwardTo), secret },
        `Listening to ${name}. Forwarding to ${options.forwardTo}\nSigning secret: ${secret}`,
      );
      const forwarder = new EventForwarder({ url: options.forwardTo, secret, kinds: options.events ?? KINDS });
      try {
        for await (const bodies of listener.batches())
          await forwarder.forward(bodies, forwarded =>
            output.line(
              { type: 'event', ...forwarded },
              `${forwarded.timestamp} ${forwarded.event} ${forwarded.to} -> ${forwarded.status ?? forwarded.error} (${forwarded.duration_ms} ms)`,
            ),
          );
      } finally {
        await listener.stop();
      }
    });

/** Where the listeners of the email service are: with its key alone, or with a session if a service is named or there is no key. */
const sourceOf = async (context: Context, named: string | undefined) => {
  if (named === undefined && context.emailKey !== undefined)
    return { api: context.emailApi(), listeners: '/webhook-listeners', name: 'the email service of the key', ids: {} };
  const api = context.dashboard();
  const { id, name } = await emailServiceNamed(api, named);
  return { api, listeners: `/email-services/${id}/webhook-listeners`, name, ids: { service_id: id } };
};

function targetFrom(text: string): URL {
  const full = /^\d{1,5}$/.test(text) ? `http://localhost:${text}/` : text;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new InvalidArgumentError('It must be a URL such as http://localhost:3000/webhooks, or a port.');
  return url;
}

function kindsFrom(text: string): readonly string[] {
  const kinds = text.split(',').map(kind => kind.trim());
  const unknown = kinds.find(kind => !KINDS.includes(kind));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There is no event ${unknown}. The events are ${KINDS.join(', ')}.`);
  return kinds;
}
