import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { machineOf } from '../../../infrastructure/builders/machine.js';
import { ARCHITECTURES, type Architecture, type CallName, numberOf } from './call-numbers.js';
import type { FilterKind } from './filters.js';
import { SystemCallFilters } from './system-call-filters.js';

const run = promisify(execFile);
const machine = machineOf(process.env['PATH'] ?? '');
const architecture = ARCHITECTURES.find(name => name === process.arch) as Architecture;

describe('A process with the filter of applications', () => {
  let filters: SystemCallFilters;
  beforeAll(async () => {
    const found = await SystemCallFilters.find();
    if (!found) throw new Error('this machine cannot load a filter of system calls');
    filters = found;
  });

  const output = async (argv: readonly string[], kind: FilterKind = 'application') => {
    const [command = '', ...args] = filters.load(kind, argv);
    return (await run(command, args, { timeout: 60_000 })).stdout;
  };
  /** The error number of a call with these arguments, 0 if it succeeds. */
  const errnoOf = async (name: CallName, args: readonly number[] = [], kind?: FilterKind) => {
    const call = [numberOf(name, architecture), ...args, ...Array(6 - args.length).fill(0)].join(',');
    return Number(await output(['perl', '-e', `print syscall(${call}) == -1 ? 0 + $! : 0`], kind));
  };

  it.each<[CallName, readonly number[]]>([
    ['io_uring_setup', [1, 0]],
    ['keyctl', [0, -3, 0]],
    ['userfaultfd', [1]],
    ['bpf', [0, 0, 0]],
    ['perf_event_open', [0, 0, 0, 0, 0]],
    ['unshare', [0x10000000]],
    ['mount', [0, 0, 0, 0, 0]],
    ['ptrace', [16, 1, 0, 0]],
    ['process_vm_readv', [1, 0, 0, 0, 0, 0]],
    ['personality', [0x40000]],
    ['kexec_load', [0, 0, 0, 0]],
  ])('cannot use %s', async (name, args) => {
    expect(await errnoOf(name, args)).toBe(1);
  });

  it.each([
    ['AF_PACKET', 17],
    ['AF_ALG', 38],
    ['AF_VSOCK', 40],
  ])('cannot create a socket of %s', async (_, family) => {
    expect(await errnoOf('socket', [family, 1, 0])).toBe(97);
    expect(await errnoOf('socket', [2, 1, 0])).toBe(0);
  });

  it('hands the filter to its children, and the command gets its arguments and exit status unchanged', async () => {
    expect(await output(['sh', '-c', 'grep Seccomp: /proc/self/status'])).toMatch(/2\n$/);
    expect(await output(['printf', '%s|', 'a b', '$c', ''])).toBe('a b|$c||');
    await expect(output(['sh', '-c', 'exit 7'])).rejects.toMatchObject({ code: 7 });
    await expect(output(['/does/not/exist'])).rejects.toMatchObject({ code: 125 });
  });

  it('can gain no privileges, unlike a build of an image', async () => {
    const status = ['sh', '-c', 'grep NoNewPrivs: /proc/self/status'];
    expect(await output(status)).toMatch(/1\n$/);
    if (process.getuid?.() === 0) expect(await output(status, 'image build')).toMatch(/0\n$/);
  });

  const PROGRAMS: readonly (readonly [program: string, argv: readonly string[], printed: RegExp])[] = [
    [
      'node',
      [
        process.execPath,
        '-e',
        `const { Worker } = require('worker_threads'); const { execFileSync } = require('child_process');
         const server = require('http').createServer((_, answer) => answer.end('served')).listen(0, async () => {
           console.log(await (await fetch('http://127.0.0.1:' + server.address().port)).text());
           console.log(Object.keys(require('os').networkInterfaces()).includes('lo'), execFileSync('echo', ['child']) + '');
           new Worker('console.log("thread")', { eval: true }).on('exit', () => server.close(() => process.exit()));
         });`,
      ],
      /served\ntrue child\n[\s\S]*thread/,
    ],
    [
      'python3',
      [
        'python3',
        '-c',
        `import concurrent.futures, multiprocessing, subprocess, socket
if __name__ == '__main__':
    with concurrent.futures.ThreadPoolExecutor() as pool: print(sum(pool.map(abs, range(5))))
    with multiprocessing.Pool(2) as pool: print(pool.map(abs, [-1, -2]))
    print(subprocess.check_output(['echo', 'child']).decode().strip(), len(socket.getaddrinfo('127.0.0.1', 80)) > 0)`,
      ],
      /^10\n\[1, 2\]\nchild True\n$/,
    ],
    ['java', ['java', '--version'], /^openjdk|^java/],
    ['go', ['go', 'version'], /^go version/],
    ['npm', ['npm', '--version'], /^\d+\./],
  ];
  for (const [program, argv, printed] of PROGRAMS)
    (program === 'node' || machine.has(program) ? it : it.skip)(
      `runs ${program} with its threads and child processes`,
      async () => {
        expect(await output(argv)).toMatch(printed);
      },
    );

  (process.getuid?.() === 0 ? it : it.skip)(
    'differs from that of image builds, which can mount file systems in a namespace and create no other sockets',
    async () => {
      const mounts = [
        'unshare',
        '--mount',
        '--',
        'sh',
        '-c',
        'mount -t tmpfs probe /mnt && grep -c "^probe " /proc/mounts',
      ];
      expect(await output(mounts, 'image build')).toBe('1\n');
      await expect(output(mounts)).rejects.toMatchObject({ code: 1 });
      expect(await errnoOf('socket', [40, 1, 0], 'image build')).toBe(97);
      expect(await errnoOf('keyctl', [0, -3, 0], 'image build')).toBe(1);
      expect(await errnoOf('io_uring_setup', [1, 0], 'image build')).toBe(1);
    },
  );
});
