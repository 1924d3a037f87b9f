import { Command } from 'commander';
import { administration, credentialOptions } from './commands/administration.js';
import { api } from './commands/api.js';
import { exportProject, up } from './commands/blueprint.js';
import { bounceRules } from './commands/bounce-rules.js';
import { complete, completion } from './commands/completion.js';
import { databases } from './commands/databases.js';
import { deploy } from './commands/deploy.js';
import { deployments } from './commands/deployments.js';
import { disks } from './commands/disks.js';
import { emails } from './commands/emails.js';
import { env } from './commands/env.js';
import { exec } from './commands/exec.js';
import { logDrains } from './commands/log-drains.js';
import { login, logout, whoami } from './commands/login.js';
import { logs } from './commands/logs.js';
import { mcp } from './commands/mcp.js';
import { notifications } from './commands/notifications.js';
import { open } from './commands/open.js';
import { requests } from './commands/requests.js';
import { domains, files, projects } from './commands/resources.js';
import { rollback } from './commands/rollback.js';
import { send } from './commands/send.js';
import { lifecycleCommands, scale, service } from './commands/service.js';
import { services } from './commands/services.js';
import { shell } from './commands/shell.js';
import { status } from './commands/status.js';
import { templates } from './commands/templates.js';
import { webhooks } from './commands/webhooks.js';

const AFTER = `
Credentials: \`postern login\` stores them for you only. POSTERN_URL, POSTERN_EMAIL_KEY, POSTERN_PLATFORM_KEY and
POSTERN_SESSION_TOKEN take precedence over stored values.
Commands for administrators run where Postern is installed. They connect to NATS as the user operator, which no service is:
with --home <folder> of a local start, with --nats-password-stdin, or with POSTERN_NATS_USER and POSTERN_NATS_PASSWORD.
Exit status: 0 success, 1 failed, 2 usage error, 3 no credential, or an invalid one, 4 still in progress.`;

/** The complete command with all groups. */
export const program = (version: string): Command => {
  const root = new Command('postern')
    .description('Send email, receive webhooks on your machine, and deploy web services')
    .version(version)
    .enablePositionalOptions()
    .addHelpText('after', AFTER);
  const groups: readonly (readonly [string, readonly Command[]])[] = [
    ['Credentials:', [login(), logout(), whoami()]],
    ['Email:', [send(), emails(), templates(), webhooks(), bounceRules()]],
    [
      'Web services:',
      [
        deploy(),
        deployments(),
        rollback(),
        ...lifecycleCommands(),
        scale(),
        exec(),
        shell(),
        logs(),
        env(),
        files(),
        service(),
        domains(),
        logDrains(),
      ],
    ],
    ['Resources:', [projects(), databases(), disks(), up(), exportProject()]],
    ['More:', [status(), requests(), notifications(), services(), api(), open(), mcp(version), completion()]],
    ['Administration:', administration()],
  ];
  for (const option of credentialOptions()) root.addOption(option.hideHelp());
  for (const [heading, commands] of groups) for (const command of commands) root.addCommand(command.helpGroup(heading));
  return root.addCommand(
    complete(() => root),
    { hidden: true },
  );
};
