import { THIS_MACHINE } from './machine.js';

interface Advice {
  readonly pattern: RegExp;
  /** Describes the problem and the solution from the match; `machine` is the name of the building machine or image. */
  readonly message: (found: RegExpExecArray, machine: string) => string;
}

const lockfileAdvice = (file: string, command: string) => (): string =>
  `${file} does not match package.json: run ${command} and commit the result`;

/** Known messages of build tools about problems outside the project's code. The first match is used. */
const ADVICE: readonly Advice[] = [
  {
    pattern: /Requires-Python (>=3\.\d+)[^\n]*\n(?:[^\n]*\n){0,40}?[^\n]*No matching distribution found for (\S+)/,
    message: ([, version, name], machine) =>
      `${name} needs Python ${version}: install Python ${version} with venv on ${machine}`,
  },
  {
    pattern: /requires a different Python: (\S+) not in '([^']+)'/,
    message: ([, own, wanted], machine) =>
      `the project needs Python ${wanted} and has ${own}: install Python ${wanted} with venv on ${machine}`,
  },
  {
    pattern: /(?:Python requirement: |No interpreter found for Python )`?([<>=~]=?\s*3\.\d+)/,
    message: ([, wanted], machine) =>
      `the project needs Python ${wanted?.replaceAll(' ', '')}: install it with venv on ${machine}`,
  },
  {
    pattern: /The current Python version \((\S+)\) is not allowed by the project \(([^)]+)\)/,
    message: ([, own, wanted], machine) =>
      `the project needs Python ${wanted} and has ${own}: install Python ${wanted} with venv on ${machine}`,
  },
  {
    pattern: /ensurepip is not available/,
    message: (_, machine) =>
      `the venv module is missing: install python3-venv on ${machine} (its name on Debian and Ubuntu)`,
  },
  {
    pattern: /pg_config executable not found/,
    message: (_, machine) =>
      `psycopg2 has no prebuilt wheel for this Python, so it is compiled: use a newer psycopg2-binary, or install libpq-dev and a C compiler on ${machine}`,
  },
  {
    pattern:
      /(?:invalid target release|release version|invalid source release|error: release version) ?:? ?(\d+)(?: not supported)?/,
    message: ([, version], machine) =>
      `the project needs Java ${version}: install a JDK of that version, or a newer one, on ${machine}`,
  },
  {
    pattern: /Your Ruby version is (\S+), but your Gemfile specified ([^\n]+)/,
    message: ([, own, wanted], machine) =>
      `the Gemfile requires Ruby ${wanted} and ${machine} has ${own}: install Ruby ${wanted} there`,
  },
  {
    pattern: /go\.mod requires go >= (\S+) \(running go ([\w.]+)/,
    message: ([, wanted, own], machine) =>
      `go.mod needs Go ${wanted} and ${machine} has ${own}: install Go ${wanted} or newer there`,
  },
  {
    pattern: /(?:cannot be built because it requires|requires) rustc (\d\S*)/,
    message: ([, wanted], machine) => `the project needs Rust ${wanted}: install a newer Rust on ${machine}`,
  },
  {
    pattern: /`npm ci` can only install packages when your package\.json/,
    message: lockfileAdvice('package-lock.json', 'npm install'),
  },
  { pattern: /ERR_PNPM_OUTDATED_LOCKFILE/, message: lockfileAdvice('pnpm-lock.yaml', 'pnpm install') },
  {
    pattern: /YN0028|Your lockfile needs to be updated/,
    message: lockfileAdvice('yarn.lock', 'yarn install'),
  },
  { pattern: /lockfile had changes, but lockfile is frozen/, message: lockfileAdvice('bun.lock', 'bun install') },
  {
    pattern:
      /(?:not found: make|(?:command|executable)[^\n]*\b(?:gcc|cc|g\+\+|make)\b[^\n]*(?:not found|No such file|failed: No such)|(?:gcc|g\+\+|cc|make): (?:command )?not found|linker `cc` not found)/,
    message: (_, machine) =>
      `a package is compiled and ${machine} has no compiler: install make and a C++ compiler (build-essential on Debian and Ubuntu) on it`,
  },
  {
    pattern: /JavaScript heap out of memory/,
    message: () => 'Node.js ran out of memory: set NODE_OPTIONS to --max-old-space-size=1536 for the build',
  },
  {
    pattern:
      /(?:getaddrinfo (?:EAI_AGAIN|ENOTFOUND)|Could not resolve host:|UnknownHostException:|dial tcp: lookup|dns error[^\n]*?for host) ([\w.-]+\w)/,
    message: ([, host], machine) =>
      `${host} cannot be reached from ${machine}: allow outbound connections to it, or add what the build downloads from there to the repository`,
  },
  {
    pattern: /error sending request for url \(https?:\/\/([\w.-]+\w)[^\n]*dns error/,
    message: ([, host], machine) =>
      `${host} cannot be reached from ${machine}: allow outbound connections to it, or import the packages from npm`,
  },
  {
    pattern: /Failed to (?:resolve|establish a new connection)[^\n]*host='([\w.-]+)'/,
    message: ([, host], machine) => `${host} cannot be reached from ${machine}: allow outbound connections to it`,
  },
];

/**
 * Advice for a failed build, if its last output shows a known cause. @param machine the name of the building machine
 * or image.
 */
export const adviceIn = (output: string, machine = THIS_MACHINE): string | undefined => {
  for (const { pattern, message } of ADVICE) {
    const found = pattern.exec(output);
    if (found) return message(found, machine);
  }
  return undefined;
};
