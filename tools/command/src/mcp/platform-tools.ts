import {
  createDeployment,
  deleteVariable,
  getDeployment,
  getLogs,
  listDeployments,
  listVariables,
  listWebServices,
  variable,
} from '@postern/contracts';
import { z } from 'zod';
import type { Context } from '../configuration/context.js';
import { IN_FIELD } from '../email-services.js';
import { UsageError } from '../errors.js';
import { webServiceNamed } from '../web-services.js';
import { type RegisteredTool, tool } from './tool.js';

const service = z.string().optional().describe('Id or name of the web service; required if there are several.');

const masking = z
  .boolean()
  .optional()
  .describe('Whether the value is masked. If absent, an existing variable is unchanged and a new one is not secret.');

/** Tools for web services, for a context with a platform key. */
export const platformTools = (context: Context): readonly RegisteredTool[] => {
  const found = async (wanted: string | undefined) => {
    const platform = context.platform();
    return { platform, id: (await webServiceNamed(platform, context, wanted, IN_FIELD)).id };
  };
  return [
    tool({
      name: 'list_web_services',
      description: 'List the web services with status and URL.',
      effect: 'reads',
      input: z.object({}),
      output: listWebServices.reply,
      run: () => context.platform().webServices.list(),
    }),
    tool({
      name: 'deploy',
      description: 'Start a deployment. It takes minutes; call get_deployment until the status is live or failed.',
      effect: 'changes',
      input: z.object({ service, branch: z.string().optional().describe('The configured branch by default.') }),
      output: createDeployment.reply,
      run: async input => {
        const { platform, id } = await found(input.service);
        return platform.deployments.create(id, input.branch === undefined ? {} : { branch: input.branch });
      },
    }),
    tool({
      name: 'list_deployments',
      description: 'List the last deployments, newest first.',
      effect: 'reads',
      writtenBy: 'the programs that a build or release runs',
      input: z.object({ service, limit: z.int().min(1).max(100).default(10) }),
      output: listDeployments.reply,
      run: async ({ service: wanted, limit }) => {
        const { platform, id } = await found(wanted);
        return platform.deployments.list(id, { limit });
      },
    }),
    tool({
      name: 'get_deployment',
      description: 'Get a deployment.',
      effect: 'reads',
      writtenBy: 'the programs that a build or release runs',
      input: z.object({ service, id: z.uuid() }),
      output: getDeployment.reply,
      run: async input => {
        const { platform, id } = await found(input.service);
        return platform.deployments.get(id, input.id);
      },
    }),
    tool({
      name: 'get_logs',
      description: 'Get the last lines of the log of a web service, builds included.',
      effect: 'reads',
      writtenBy: 'the visitors of the web service and the programs that its build runs',
      input: z.object({ service, tail: z.int().min(1).max(1_000).default(100) }),
      output: getLogs.reply,
      run: async input => {
        const { platform, id } = await found(input.service);
        return { lines: await platform.logs.get(id, { tail: input.tail }) };
      },
    }),
    ...variableTools(found),
  ];
};

type Find = (
  wanted: string | undefined,
) => Promise<{ readonly platform: ReturnType<Context['platform']>; readonly id: string }>;

const variableTools = (found: Find): readonly RegisteredTool[] => [
  tool({
    name: 'list_variables',
    description: 'List the environment variables of a web service; secret values are masked.',
    effect: 'reads',
    input: z.object({ service }),
    output: listVariables.reply,
    run: async input => {
      const { platform, id } = await found(input.service);
      return platform.environment.list(id);
    },
  }),
  tool({
    name: 'set_variable',
    description: 'Create or update an environment variable. It takes effect at the next deployment or restart.',
    effect: 'changes',
    input: z.object({ service, key: z.string(), value: z.string(), is_secret: masking }),
    output: variable,
    run: async ({ service: wanted, key, value, is_secret }) => {
      const { platform, id } = await found(wanted);
      return platform.environment.set(id, { key, value, ...(is_secret === undefined ? {} : { is_secret }) });
    },
  }),
  tool({
    name: 'unset_variable',
    description: 'Delete an environment variable. It takes effect at the next deployment or restart.',
    effect: 'deletes',
    input: z.object({ service, key: z.string() }),
    output: deleteVariable.reply,
    run: async input => {
      const { platform, id } = await found(input.service);
      const variable = (await platform.environment.list(id)).find(({ key }) => key === input.key);
      if (!variable) throw new UsageError(`There is no variable ${input.key}.`);
      return platform.environment.delete(id, variable.id);
    },
  }),
];
