import type { Command } from 'commander';
import { command, group, type Invocation, invocation } from '../command-line.js';
import type { DashboardApi, NotificationTarget } from '../dashboard-api.js';
import { one } from '../email-services.js';
import { UsageError } from '../errors.js';

const PATH = '/notification-targets';
const KINDS: readonly string[] = ['slack', 'webhook'];
const TARGET = ['<target>', 'id or URL of the target'] as const;

interface Options {
  readonly json?: boolean;
}

/** `postern notifications …`: chats and webhooks that are told about deployments and failures of the workspace. */
export const notifications = (): Command =>
  group('notifications', 'Send notifications about deployments and failures to a chat or a webhook', [
    command('list', 'List the targets', ['postern notifications list']).action(async (options: Options) => {
      const { context, output } = invocation(options);
      const all = await context.dashboard().get<readonly NotificationTarget[]>(PATH);
      const rows = all.map(({ id, kind, url, last_delivered_at, last_error }) => [
        ...[id, kind, url],
        ...[last_delivered_at ?? '', last_error ?? ''],
      ]);
      output.rows(all, ['ID', 'KIND', 'URL', 'LAST DELIVERED', 'LAST ERROR'], rows, 'No notification targets.');
    }),
    command('add', 'Add a target', [
      'postern notifications add slack https://hooks.slack.com/services/T000/B000/XXXX',
      'postern notifications add webhook https://ops.example.com/postern',
    ])
      .argument('<kind>', KINDS.join(', '))
      .argument('<url>', 'https://…')
      .action(async (kind: string, url: string, options: Options) => {
        if (!KINDS.includes(kind)) throw new UsageError(`There is no kind ${kind}. The kinds are ${KINDS.join(', ')}.`);
        const { context, output } = invocation(options);
        const added = await context.dashboard().post<NotificationTarget>(PATH, { kind, url });
        const secret = added.secret ? `\nThe signing secret, which is shown only now: ${added.secret}` : '';
        output.result(
          added,
          `${added.id}  ${added.kind}  ${added.url}${secret}\nTest it: postern notifications test ${added.id}`,
        );
      }),
    command('test', 'Send a test notification now', ['postern notifications test 01977f4e'])
      .argument(...TARGET)
      .action(async (wanted: string, options: Options) => {
        const { output, dashboard, target } = await onTarget(wanted, options);
        const tested = await dashboard.post<Tested>(`${PATH}/${target.id}/test`);
        if (!tested.accepted) throw new Error(`The target did not accept the notification: ${tested.error}`);
        output.result(tested, `The target accepted the notification after ${tested.duration_ms} ms.`);
      }),
    command('remove', 'Delete a target', ['postern notifications remove 01977f4e'])
      .argument(...TARGET)
      .action(async (wanted: string, options: Options) => {
        const { output, dashboard, target } = await onTarget(wanted, options);
        output.result(await dashboard.delete(`${PATH}/${target.id}`), `${target.url} is deleted.`);
      }),
  ]);

interface Tested {
  readonly accepted: boolean;
  readonly error: string | null;
  readonly duration_ms: number;
}

interface OnTarget extends Invocation {
  readonly dashboard: DashboardApi;
  readonly target: NotificationTarget;
}

const onTarget = async (wanted: string, options: Options): Promise<OnTarget> => {
  const invoked = invocation(options);
  const dashboard = invoked.context.dashboard();
  const all = await dashboard.get<readonly NotificationTarget[]>(PATH);
  const named = all.map(target => ({ ...target, name: target.url }));
  return { ...invoked, dashboard, target: one(named, wanted, 'notification target', 'by its id or URL') };
};
