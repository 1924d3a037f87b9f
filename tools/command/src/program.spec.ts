import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { AUDITED } from './administration/audited-commands.js';
import { candidates } from './completion/candidates.js';
import { program } from './program.js';

const root = program('1.2.3');

/** Commands without subcommands, with their full names. */
const leavesOf = (command: Command, words: readonly string[] = []): readonly (readonly [string, Command])[] =>
  command.commands.length === 0
    ? [[words.join(' '), command]]
    : command.commands.flatMap(child => leavesOf(child, [...words, child.name()]));

const helpOf = (command: Command): string => {
  let help = '';
  command.configureOutput({
    writeOut: text => {
      help += text;
    },
  });
  command.outputHelp();
  return help;
};

const leaves = leavesOf(root).filter(([words]) => !words.startsWith('__'));

const isForAdministrators = (command: Command): boolean => command.options.some(({ long }) => long === '--home');

describe('the command', () => {
  it('has a command for each task', () => {
    expect(leaves.map(([words]) => words)).toEqual([
      'login',
      'logout',
      'whoami',
      'send',
      'emails list',
      'emails show',
      'emails scheduled',
      'emails cancel',
      'templates list',
      'templates push',
      'templates preview',
      'templates test',
      'templates delete',
      'webhooks listen',
      'bounce-rules list',
      'bounce-rules add',
      'bounce-rules delete',
      'deploy',
      'deployments list',
      'deployments logs',
      'deployments cancel',
      'rollback',
      'start',
      'restart',
      'stop',
      'scale',
      'exec',
      'shell',
      'logs',
      'env list',
      'env resolved',
      'env set',
      'env unset',
      'files list',
      'files set',
      'files delete',
      'service create',
      'service show',
      'service edit',
      'service delete',
      'domains list',
      'domains add',
      'domains verify',
      'domains remove',
      'log-drains list',
      'log-drains add',
      'log-drains test',
      'log-drains enable',
      'log-drains remove',
      'projects list',
      'projects create',
      'databases list',
      'databases show',
      'databases certificate',
      'databases external-access',
      'databases create',
      'databases attach',
      'databases detach',
      'databases extensions',
      'databases enable-extension',
      'databases backup',
      'databases backups',
      'databases restore',
      'databases delete',
      'disks backup',
      'disks backups',
      'disks restore',
      'up',
      'export',
      'status',
      'requests',
      'notifications list',
      'notifications add',
      'notifications test',
      'notifications remove',
      'services',
      'api',
      'open',
      'mcp',
      'completion',
      'doctor',
      'releases',
      'can-deploy',
      'audit list',
      'audit export',
      'projections status',
      'projections rebuild',
      'events status',
      'events list',
      'events retry',
      'events discard',
      'bounces reclassify',
      'users create',
      'keys status',
      'keys rotate',
      'keys generate',
      'certificates create',
      'recipients erase',
      'recipients erasures',
      'recipients erasure',
      'recipients opt-outs',
      'recipients remove-opt-out',
    ]);
  });

  it.each(leaves)('shows the examples of postern %s in its help', (words, command) => {
    expect(helpOf(command)).toMatch(new RegExp(`Examples:\\n.*postern ${words}`));
  });

  it.each(leaves.filter(([, command]) => !isForAdministrators(command)))(
    'prints JSON for postern %s --json',
    (_, command) => {
      expect(command.options.map(({ long }) => long)).toContain('--json');
    },
  );
});

describe('a command for administrators', () => {
  const forAdministrators = leaves.filter(([, command]) => isForAdministrators(command));

  it.each(forAdministrators)(
    'postern %s runs unrecorded only if it changes data, and the administrator says so',
    (words, command) => {
      expect(command.options.some(({ long }) => long === '--unaudited')).toBe(words in AUDITED);
    },
  );

  it('that changes data exists for each action of the audit log', () => {
    const names = forAdministrators.map(([words]) => words);
    expect(Object.keys(AUDITED).filter(name => !names.includes(name))).toEqual([]);
  });
});

describe('completion', () => {
  it.each([
    [[''], ['api', 'audit', 'bounce-rules', 'bounces', 'can-deploy', 'certificates', 'completion']],
    [['e'], ['emails', 'env', 'events', 'exec', 'export']],
    [
      ['env', ''],
      ['list', 'resolved', 'set', 'unset'],
    ],
    [
      ['env', 'set', 'A=1', '--s'],
      ['--secret', '--service'],
    ],
    [['__'], []],
  ])('of %j returns %j', (words, expected) => {
    expect(candidates(root, words).slice(0, 7)).toEqual(expected);
  });
});
