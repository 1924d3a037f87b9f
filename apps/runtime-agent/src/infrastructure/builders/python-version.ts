import type { Machine } from './machine.js';
import type { Project } from './project.js';
import { TOOLS } from './start.js';

export interface Interpreter {
  readonly program: string;
  /** Creates the environment of the project. */
  readonly create: string;
  /** The line of the build log if the project requires a version. */
  readonly rule?: string;
  /** Creates the environment with a newer Python, if the project requires no version and the machine has one. */
  readonly newer?: { readonly program: string; readonly create: string };
}

interface Requirement {
  readonly file: string;
  /** The minor version of Python 3. */
  readonly minor: number;
  /** Whether newer versions are accepted. */
  readonly orNewer: boolean;
}

/** `python3.8` to `python3.30`, the names in distributions. */
const MINORS = Array.from({ length: 23 }, (_, index) => index + 8);

/** Selects the Python version that the project requires, or the nearest one on this machine. */
export const interpreterFor = async (project: Project, machine: Machine): Promise<Interpreter> => {
  const requirement = await requirementOf(project);
  const usual = minorIn(machine.realName('python3') ?? '');
  if (!requirement) {
    const newest = MINORS.findLast(minor => minor > (usual ?? Infinity) && machine.has(`python3.${minor}`));
    return { ...ofMachine('python3'), ...(newest !== undefined && { newer: ofMachine(`python3.${newest}`) }) };
  }
  if (usual === requirement.minor || (usual !== undefined && requirement.orNewer && usual > requirement.minor))
    return ofMachine('python3');
  const reason = `${requirement.file} requires Python 3.${requirement.minor}${requirement.orNewer ? ' or newer' : ''}`;
  const here = MINORS.filter(minor => machine.has(`python3.${minor}`));
  if (here.includes(requirement.minor)) return used(machine, `python3.${requirement.minor}`, reason);
  const enough = requirement.orNewer ? here.find(minor => minor > requirement.minor) : undefined;
  if (enough !== undefined) return used(machine, `python3.${enough}`, reason);
  const distance = (minor: number) => Math.abs(minor - requirement.minor);
  const [nearest] = here.toSorted((one, other) => distance(one) - distance(other) || other - one);
  const program = nearest === undefined || nearest === usual ? 'python3' : `python3.${nearest}`;
  const version = `3.${requirement.minor}`;
  const otherwise = `Python ${version} cannot be installed by uv: ${program} of ${machine.name} is used`;
  return {
    program,
    create: `{ ${installed(program, version)} || { rm -rf .venv; echo '${otherwise}'; ${ofMachine(program).create}; }; }`,
    rule: `${reason}, which is not on ${machine.name}: uv installs it`,
  };
};

const UV = `${TOOLS}/uv`;

/** In the artefact, because instances need it. */
const installed = (program: string, version: string): string =>
  [
    `${program} -m venv ${UV}`,
    `${UV}/bin/pip install uv`,
    `UV_PYTHON_INSTALL_DIR="$PWD/${TOOLS}/python" ${UV}/bin/uv venv --managed-python --seed --python ${version} .venv`,
  ].join(' && ');

const ofMachine = (program: string): Interpreter => ({ program, create: `${program} -m venv .venv` });

const used = (machine: Machine, program: string, why: string): Interpreter => ({
  ...ofMachine(program),
  rule: `${why}: ${program === 'python3' ? `the Python of ${machine.name}` : program} is used`,
});

const minorIn = (text: string): number | undefined => {
  const minor = /(?:^|\D)3\.(\d+)/.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
};

/** A file with an exact version takes precedence over a minimum version. */
const requirementOf = async (project: Project): Promise<Requirement | undefined> => {
  for (const [file, line] of [
    ['.python-version', /^[ \t]*((?:python-|cpython-)?3\.\d+)/m],
    ['.tool-versions', /^python[ \t]+(3\.\d+)/m],
    ['mise.toml', /^python[ \t]*=[ \t]*["'](3\.\d+)/m],
    ['runtime.txt', /^(python-3\.\d+)/m],
    ['Pipfile', /^python_(?:full_)?version\s*=\s*["'](3\.\d+)/m],
  ] as const) {
    const minor = minorIn(line.exec((await project.readBeginning(file)) ?? '')?.[1] ?? '');
    if (minor !== undefined) return { file, minor, orNewer: false };
  }
  const bounds = /^(?:requires-python|python)\s*=\s*["'](?:>=|\^|~=?|==)\s*(3\.\d+)/m;
  const minor = minorIn(bounds.exec((await project.read('pyproject.toml')) ?? '')?.[1] ?? '');
  return minor === undefined ? undefined : { file: 'pyproject.toml', minor, orNewer: true };
};
