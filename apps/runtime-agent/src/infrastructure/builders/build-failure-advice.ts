import { THIS_MACHINE } from './machine.js';

interface Advice {
  /** What a line contains, in this order. Each pattern takes linear time, because a build can print any text. */
  readonly patterns: readonly RegExp[];
  /** Whether the patterns match in different lines. */
  readonly spansLines?: true;
  /** Describes the problem and the solution from the groups; `machine` is the name of the building machine or image. */
  readonly message: (groups: readonly string[], machine: string) => string;
}

const lockfileAdvice = (file: string, command: string) => (): string =>
  `${file} does not match package.json: run ${command} and commit the result`;

const compilerAdvice: Advice['message'] = (_, machine) =>
  `a package is compiled and ${machine} has no compiler: install make and a C++ compiler (build-essential on Debian and Ubuntu) on it`;

const downloadAdvice: Advice['message'] = ([host], machine) =>
  `${host} cannot be reached from ${machine}: allow outbound connections to it, or add what the build downloads from there to the repository`;

const noPackageAdvice: Advice['message'] = ([name]) =>
  `no version of ${name} can be installed: the package registry does not have it, or not for this platform; correct its name or version, or set credentials for the registry if the package is private`;

/** Known messages of build tools about problems outside the project's code. The first match is used. */
const ADVICE: readonly Advice[] = [
  {
    patterns: [/Failed to replace env in config: \$\{(\w+)\}/, /\b40[13]\b/, /https?:\/\/([\w.:-]+)/],
    spansLines: true,
    message: ([name, host]) => `${host} refused a download (401 or 403): set the variable ${name}, which .npmrc uses`,
  },
  {
    patterns: [/\b(40[13])(?: Client)?(?: Unauthorized| Forbidden| Error|:)/, /https?:\/\/(?:[^\s/@]*@)?([\w.:-]+)/],
    message: ([status, host]) =>
      `${host} refused a download (${status}): set a variable with its credentials, and use it in the settings of the package manager (such as .npmrc)`,
  },
  {
    patterns: [/Requires-Python (>=3\.\d+)/, /No matching distribution found for (\S+)/],
    spansLines: true,
    message: ([version, name], machine) =>
      `${name} needs Python ${version}: add a file .python-version with that version to the repository, and install it with venv on ${machine} if it is missing`,
  },
  { patterns: [/No matching distribution found for (\S+)/], message: noPackageAdvice },
  { patterns: [/'([^\s']{1,300})' is not in this registry/], message: noPackageAdvice },
  { patterns: [/YN0035: │ (\S{1,300}): Package not found/], message: noPackageAdvice },
  {
    patterns: [/requires a different Python: (\S+) not in '([^']+)'/],
    message: ([own, wanted], machine) =>
      `the project needs Python ${wanted} and has ${own}: install Python ${wanted} with venv on ${machine}`,
  },
  {
    patterns: [/(?:Python requirement: |No interpreter found for Python )`?([<>=~]=?\s*3\.\d+)/],
    message: ([wanted], machine) =>
      `the project needs Python ${wanted?.replaceAll(' ', '')}: install it with venv on ${machine}`,
  },
  {
    patterns: [/The current Python version \((\S+)\) is not allowed by the project \(([^)]+)\)/],
    message: ([own, wanted], machine) =>
      `the project needs Python ${wanted} and has ${own}: install Python ${wanted} with venv on ${machine}`,
  },
  {
    patterns: [
      /error (\S{1,300}): The engine "node" is incompatible with this module\. Expected version "([^"]{1,100})"\. Got "(\S{1,50})"/,
    ],
    message: ([name, wanted, own]) =>
      `${name} needs Node.js ${wanted} and has ${own}: write such a version into a file .nvmrc, or into engines of package.json`,
  },
  {
    patterns: [/plette\.\S{1,100}DataValidationError: Missing required field: (\w+)/],
    message: ([field]) =>
      `Pipfile.lock is from an old Pipenv and has no ${field} in a source: add ${field} to each [[source]] of the Pipfile, run pipenv lock and commit the result`,
  },
  {
    patterns: [/ensurepip is not available/],
    message: (_, machine) =>
      `the venv module is missing: install python3-venv on ${machine} (its name on Debian and Ubuntu)`,
  },
  {
    patterns: [/pg_config executable not found/],
    message: (_, machine) =>
      `psycopg2 has no prebuilt wheel for this Python, so it is compiled: use a newer psycopg2-binary, or install libpq-dev and a C compiler on ${machine}`,
  },
  {
    patterns: [/(?:invalid target release|invalid source release|release version) ?:? ?(\d+)/],
    message: ([version], machine) =>
      `the project needs Java ${version}: install a JDK of that version, or a newer one, on ${machine}`,
  },
  {
    patterns: [/Your Ruby version is (\S+), but your Gemfile specified ([^\n]+)/],
    message: ([own, wanted], machine) =>
      `the Gemfile requires Ruby ${wanted} and ${machine} has ${own}: install Ruby ${wanted} there`,
  },
  {
    patterns: [/go\.mod requires go >= (\S+) \(running go ([\w.]+)/],
    message: ([wanted, own], machine) =>
      `go.mod needs Go ${wanted} and ${machine} has ${own}: install Go ${wanted} or newer there`,
  },
  {
    patterns: [/invalid go version '([\d.]+)': must match format/],
    message: ([wanted], machine) =>
      `go.mod needs Go ${wanted} and ${machine} has an older one than 1.21: install Go ${wanted} or newer there`,
  },
  {
    patterns: [/(?:cannot be built because it requires|requires) rustc (\d\S*)/],
    message: ([wanted], machine) => `the project needs Rust ${wanted}: install a newer Rust on ${machine}`,
  },
  {
    patterns: [/`npm ci` can only install packages when your package\.json/],
    message: lockfileAdvice('package-lock.json', 'npm install'),
  },
  { patterns: [/ERR_PNPM_OUTDATED_LOCKFILE/], message: lockfileAdvice('pnpm-lock.yaml', 'pnpm install') },
  {
    patterns: [/YN0028|Your lockfile needs to be updated/],
    message: lockfileAdvice('yarn.lock', 'yarn install'),
  },
  { patterns: [/lockfile had changes, but lockfile is frozen/], message: lockfileAdvice('bun.lock', 'bun install') },
  {
    patterns: [/not found: make|(?:gcc|g\+\+|cc|make): (?:command )?not found|linker `cc` not found/],
    message: compilerAdvice,
  },
  {
    patterns: [/command|executable/, /\b(?:gcc|cc|g\+\+|make)\b/, /not found|No such file|failed: No such/],
    message: compilerAdvice,
  },
  {
    patterns: [/fatal error: ([\w./+-]{1,100}\.h): No such file/],
    message: ([header], machine) =>
      `a package is compiled and ${machine} has no ${header}: install the package with this file there (Python.h: python3-dev; libpq-fe.h: libpq-dev), or use a version of the package that is not compiled`,
  },
  {
    patterns: [/Rollup failed to resolve import "((?:@[\w.-]+\/)?\w[\w.-]*)/],
    message: ([name]) =>
      `the package ${name} is not installed: add it to the dependencies; an optional package is also missing if its installation failed, for example because it downloads from a host that cannot be reached`,
  },
  {
    patterns: [/JavaScript heap out of memory/],
    message: () =>
      'Node.js ran out of memory: set NODE_OPTIONS to --max-old-space-size=<MiB> for the build, at most three quarters of the memory of a build',
  },
  {
    patterns: [
      /(?:getaddrinfo (?:EAI_AGAIN|ENOTFOUND)|Could not resolve host:|UnknownHostException:|dial tcp: lookup) ([\w.-]+\w)/,
    ],
    message: downloadAdvice,
  },
  {
    patterns: [/establishing a connection while requesting https?:\/\/([\w.-]+\w)/],
    message: downloadAdvice,
  },
  { patterns: [/dns error/, /for host ([\w.-]+\w)/], message: downloadAdvice },
  {
    patterns: [/error sending request for url \(https?:\/\/([\w.-]+\w)/, /dns error/],
    message: ([host], machine) =>
      `${host} cannot be reached from ${machine}: allow outbound connections to it, or import the packages from npm`,
  },
  {
    patterns: [/Failed to (?:resolve|establish a new connection)/, /host='([\w.-]+)'/],
    message: ([host], machine) => `${host} cannot be reached from ${machine}: allow outbound connections to it`,
  },
];

/**
 * Advice for a failed build, if its last output shows a known cause. @param machine the name of the building machine
 * or image.
 */
export const adviceIn = (output: string, machine = THIS_MACHINE): string | undefined => {
  const lines = output.split('\n').filter(line => line !== '');
  for (const { patterns, spansLines, message } of ADVICE)
    for (const text of spansLines ? [output] : lines) {
      const groups = groupsIn(text, patterns);
      if (groups) return message(groups, machine);
    }
  return undefined;
};

/** The groups of the patterns, if each matches after the end of the one before. */
const groupsIn = (text: string, patterns: readonly RegExp[]): readonly string[] | undefined => {
  const groups: string[] = [];
  let rest = text;
  for (const pattern of patterns) {
    const found = pattern.exec(rest);
    if (!found) return undefined;
    groups.push(...found.slice(1));
    rest = rest.slice(found.index + found[0].length);
  }
  return groups;
};
