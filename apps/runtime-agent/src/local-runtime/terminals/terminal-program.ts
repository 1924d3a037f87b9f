import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import type { TerminalSize } from '@postern/runtime';
import { isProgram } from '../../infrastructure/is-program.js';

/** A part of every Debian and Ubuntu system (perl-base). */
const PERL = '/usr/bin/perl';

/**
 * Opens a pseudoterminal and copies between it and its own standard input and output. Prints its number first. Lines on
 * descriptor 3 set the size; until the first one, it keeps the terminal open for the command. Ends when no process has the
 * terminal open, or at the end of its input, which hangs up the terminal. The numbers are those of `asm/ioctls.h`.
 */
const PROGRAM = `use strict; use Fcntl; use Errno qw(EIO EAGAIN EINTR);
my ($unlock, $number, $resize) = (0x40045431, 0x80045430, 0x5414);
sysopen(my $master, '/dev/ptmx', O_RDWR | O_NOCTTY | O_NONBLOCK) or die "no terminal: $!\\n";
my ($no, $found) = (pack('i', 0), pack('i', 0));
ioctl($master, $unlock, $no) or die "no terminal: $!\\n";
ioctl($master, $number, $found) or die "no terminal: $!\\n";
my $path = '/dev/pts/' . unpack('i', $found);
sysopen(my $kept, $path, O_RDWR | O_NOCTTY) or die "no terminal: $!\\n";
open(my $sizes, '<&=', 3) or die "no sizes: $!\\n";
sub size { my $size = pack('S4', $_[1], $_[0], 0, 0); ioctl($master, $resize, $size) }
size(@ARGV);
syswrite(STDOUT, unpack('i', $found) . "\\n");
for my $handle (*STDIN, *STDOUT, $sizes) { fcntl($handle, F_SETFL, fcntl($handle, F_GETFL, 0) | O_NONBLOCK) }
my ($input, $output, $lines, $resizable, $over) = ('', '', '', 1, 0);
sub failed { !defined $_[0] && !$!{EAGAIN} && !$!{EINTR} }
until ($over && $output eq '') {
  my ($readable, $writable) = ('', '');
  vec($readable, 0, 1) = 1 if length $input < 65536;
  vec($readable, 3, 1) = 1 if $resizable;
  vec($readable, fileno($master), 1) = 1 if !$over && length $output < 65536;
  vec($writable, 1, 1) = 1 if $output ne '';
  vec($writable, fileno($master), 1) = 1 if $input ne '';
  select($readable, $writable, undef, undef);
  if (vec($readable, 0, 1)) {
    my $count = sysread(STDIN, $input, 65536, length $input);
    exit if failed($count) || defined $count && $count == 0;
  }
  if (vec($readable, 3, 1)) {
    my $count = sysread($sizes, $lines, 4096, length $lines);
    $resizable = 0 if failed($count) || defined $count && $count == 0;
    while ($lines =~ s/^(\\d+) (\\d+)\\n//) { size($1, $2); if ($kept) { close $kept; undef $kept } }
  }
  if (vec($readable, fileno($master), 1)) {
    my $count = sysread($master, $output, 65536, length $output);
    $over = 1 if failed($count) || defined $count && $count == 0;
  }
  if (vec($writable, 1, 1)) {
    my $count = syswrite(STDOUT, $output);
    exit if failed($count);
    substr($output, 0, $count, '') if $count;
  }
  if (vec($writable, fileno($master), 1)) {
    my $count = syswrite($master, $input, 4096);
    $input = '' if failed($count);
    substr($input, 0, $count, '') if $count;
  }
}`;

/** A pseudoterminal of this machine, and the process that holds it. */
export interface OpenedTerminal {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  /** The end of the command; to be closed once the command has it. */
  readonly slave: FileHandle;
  resize(size: TerminalSize): void;
}

/** Whether this machine can open terminals. */
export const hasTerminals = (): boolean => isProgram(PERL) && existsSync('/dev/ptmx');

/** @throws if there is no free terminal. */
export const openTerminal = async ({ columns, rows }: TerminalSize): Promise<OpenedTerminal> => {
  const stdio = ['pipe', 'pipe', 'pipe', 'pipe'] as const;
  const child = spawn(PERL, ['-e', PROGRAM, String(columns), String(rows)], { cwd: '/', env: {}, stdio: [...stdio] });
  let problem = '';
  child.stderr.on('data', (chunk: Buffer) => {
    problem = (problem + chunk.toString('utf8')).slice(0, 1_000);
  });
  // The program ends with its terminal; the command notices that by itself.
  child.stdin.on('error', () => undefined);
  const sizes = child.stdio[3] as Writable;
  sizes.on('error', () => undefined);
  const failed = once(child, 'close').then(() => {
    throw new Error(problem.trim() || 'no terminal');
  });
  failed.catch(() => undefined);
  try {
    const number = await Promise.race([firstLineOf(child.stdout), failed]);
    const slave = await open(`/dev/pts/${number}`, constants.O_RDWR | constants.O_NOCTTY);
    return { process: child, slave, resize: size => void sizes.write(`${size.columns} ${size.rows}\n`) };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
};

const firstLineOf = async (stream: Readable): Promise<string> => {
  let line = '';
  while (!line.endsWith('\n')) {
    const part: Buffer | null = stream.read(1);
    if (part) line += part.toString('latin1');
    else await once(stream, 'readable');
  }
  return line.trim();
};
