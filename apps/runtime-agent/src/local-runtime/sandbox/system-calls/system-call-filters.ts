import { execFile } from 'node:child_process';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { isProgram } from '../../../infrastructure/is-program.js';
import { ARCHITECTURES, type Architecture, PRCTL } from './call-numbers.js';
import { type FilterKind, filterOf } from './filters.js';

/**
 * Replaces itself with a command after it has loaded a filter. Perl is part of every Debian system and can make system calls, so that
 * no process stays between the command and its parent. Arguments: the number of prctl, whether the process may gain no privileges,
 * the filter in hexadecimal digits, and the command.
 */
const LOAD = `my ($prctl, $confine, $hex, @command) = @ARGV;
my $filter = pack "H*", $hex;
my $program = pack "S x![P] P", length($filter) / 8, $filter;
my $loaded = (!$confine || syscall(0 + $prctl, 38, 1, 0, 0, 0) == 0) && syscall(0 + $prctl, 22, 2, $program) == 0;
$loaded ? exec { $command[0] } @command : print STDERR "the filter of system calls cannot be loaded: $!\\n";
print STDERR "$command[0] cannot be started: $!\\n" if $loaded;
exit 125;`;

const USUAL = ['/usr/bin', '/bin'];
const PROBE_TIMEOUT_MS = 10_000;

/** Filters of system calls for the processes of tenants. A process and its children cannot remove a filter. */
export class SystemCallFilters {
  readonly #prefixes: Readonly<Record<FilterKind, readonly string[]>>;

  private constructor(perl: string, architecture: Architecture) {
    const prefixOf = (kind: FilterKind, confine: '0' | '1') => [
      ...[perl, '-e', LOAD, '--'],
      ...[String(PRCTL[architecture]), confine, filterOf(kind, architecture).toString('hex')],
    ];
    this.#prefixes = {
      application: prefixOf('application', '1'),
      // Only root starts it. A step of a Dockerfile may use setuid programs of its image, which gain nothing outside.
      'image build': prefixOf('image build', '0'),
    };
  }

  /** Undefined if this host cannot load a filter, which a probe verifies. */
  static async find(path = process.env['PATH'] ?? ''): Promise<SystemCallFilters | undefined> {
    const perl = [...USUAL, ...path.split(delimiter).filter(isAbsolute)].map(at => join(at, 'perl')).find(isProgram);
    const architecture = ARCHITECTURES.find(name => name === process.arch);
    if (perl === undefined || architecture === undefined) return undefined;
    const filters = new SystemCallFilters(perl, architecture);
    const [command = '', ...args] = filters.load('application', ['cat', '/proc/self/status']);
    const status = await promisify(execFile)(command, args, { timeout: PROBE_TIMEOUT_MS }).then(
      ({ stdout }) => stdout,
      () => '',
    );
    return /^Seccomp:\s*2$/m.test(status) ? filters : undefined;
  }

  /** Starts the command with the filter; it exits with 125 if the filter cannot be loaded. */
  load(kind: FilterKind, argv: readonly string[]): readonly string[] {
    return [...this.#prefixes[kind], ...argv];
  }
}
