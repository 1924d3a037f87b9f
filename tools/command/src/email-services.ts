import type { DashboardApi, EmailService } from './dashboard-api.js';
import { UsageError } from './errors.js';

/** All email services of the workspace. */
export const emailServices = (dashboard: DashboardApi): Promise<readonly EmailService[]> =>
  dashboard
    .get<readonly EmailService[] | { items: readonly EmailService[] }>('/email-services')
    .then(reply => ('items' in reply ? reply.items : reply));

/** The email service with this id or name; without one, the only email service. @throws UsageError */
export const emailServiceNamed = async (
  dashboard: DashboardApi,
  wanted: string | undefined,
  how = 'with --service (id or name)',
): Promise<EmailService> => one(await emailServices(dashboard), wanted, 'email service', how);

/** How a tool of an assistant names a service. */
export const IN_FIELD = 'in the field `service` (id or name)';

/**
 * The resource with this id or name; `how` ends the sentence "Choose one …".
 * @throws UsageError that lists the names if none or several match
 */
export const one = <Resource extends { readonly id: string; readonly name: string }>(
  resources: readonly Resource[],
  wanted: string | undefined,
  noun: string,
  how: string,
): Resource => {
  const fitting =
    wanted === undefined ? resources : resources.filter(({ id, name }) => id === wanted || name === wanted);
  const [found] = fitting;
  if (found && fitting.length === 1) return found;
  if (resources.length === 0) throw new UsageError(`There is no ${noun}. Create one in the dashboard.`);
  const names = listOf(found ? fitting : resources);
  const problem =
    wanted === undefined
      ? `There are several ${noun}s`
      : found
        ? `Several ${noun}s are called ${JSON.stringify(wanted)}`
        : `There is no ${noun} ${JSON.stringify(wanted)}`;
  throw new UsageError(`${problem}. Choose one ${how}:\n${names}`);
};

const MAX_LISTED = 20;

const listOf = (resources: readonly { readonly id: string; readonly name: string }[]): string => {
  const lines = resources.slice(0, MAX_LISTED).map(({ name, id }) => `  ${id}  ${name}`);
  const more = resources.length - lines.length;
  return (more > 0 ? [...lines, `  and ${more} more`] : lines).join('\n');
};
