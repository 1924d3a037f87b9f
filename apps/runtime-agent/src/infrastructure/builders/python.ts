import { type Builder, type BuildPlan, commandStart } from './build-plan.js';
import type { Project } from './project.js';
import { interpreterFor } from './python-version.js';
import type { Start } from './start.js';

const VENV_MODULE = 'Python 3 with its venv module (python3-venv on Debian and Ubuntu)';
const BIN = '.venv/bin';
/** Modules of the web servers; installed if the project does not require them. */
const SERVERS = { wsgi: 'gunicorn', asgi: 'uvicorn' } as const;
const DEPTH = 2;
/** Old Pipfiles contain an obsolete host of PyPI. */
const PIPENV = `PIPENV_PYPI_MIRROR="\${PIP_INDEX_URL:-https://pypi.org/simple}" VIRTUAL_ENV="$PWD/.venv" ${BIN}/pipenv`;

interface Application {
  readonly framework: string;
  readonly kind: keyof typeof SERVERS;
  /** The application argument of gunicorn and uvicorn. */
  readonly target: string;
}

/** Projects with requirements.txt, pyproject.toml, uv.lock, poetry.lock, Pipfile or manage.py. */
export const python: Builder = async (project, machine) => {
  const install = await installOf(project);
  if (!install) return undefined;
  const interpreter = await interpreterFor(project, machine);
  const application = await applicationIn(project);
  const rules = [install.rule, ...(interpreter.rule === undefined ? [] : [interpreter.rule])];
  const commands = [`${interpreter.program} -m venv .venv`, ...install.commands];
  if (application) {
    const server = SERVERS[application.kind];
    rules.push(`${application.framework} found: ${server} serves ${application.target}`);
    commands.push(`{ ${BIN}/python -c 'import ${server}' 2>/dev/null || ${BIN}/python -m pip install ${server}; }`);
  }
  const collects = await collectsStatic(project);
  if (collects) {
    rules.push('STATIC_ROOT found: manage.py collectstatic');
    commands.push(`${BIN}/python manage.py collectstatic --noinput`);
  }
  return {
    rules,
    command: commands.join(' && '),
    environment: {
      PIP_DISABLE_PIP_VERSION_CHECK: '1',
      UV_PYTHON_DOWNLOADS: 'never',
      POETRY_VIRTUALENVS_IN_PROJECT: '1',
    },
    needs: [{ program: interpreter.program, install: VENV_MODULE }],
    start: async built => startOf(application, built),
  } satisfies BuildPlan;
};

const installOf = async (project: Project) => {
  if (await project.has('uv.lock'))
    return {
      rule: 'uv.lock found: uv sync --frozen --no-dev',
      // An environment that uv creates itself would not contain pip.
      commands: [`${BIN}/pip install uv`, `${BIN}/uv sync --frozen --no-dev --inexact --python ${BIN}/python`],
    };
  if (await project.has('poetry.lock'))
    return {
      rule: 'poetry.lock found: poetry install --only main --no-root',
      commands: [`${BIN}/pip install poetry`, `${BIN}/poetry install --only main --no-root --no-interaction`],
    };
  if (await project.has('requirements.txt'))
    return {
      rule: 'requirements.txt found: pip install -r requirements.txt',
      commands: [`${BIN}/pip install -r requirements.txt`],
    };
  if (await project.has('Pipfile.lock'))
    return {
      rule: 'Pipfile.lock found: pipenv sync',
      commands: [`${BIN}/pip install pipenv`, `${PIPENV} sync`],
    };
  if (await project.has('Pipfile'))
    return {
      rule: 'Pipfile found: pipenv install',
      commands: [`${BIN}/pip install pipenv`, `${PIPENV} install --skip-lock`],
    };
  const settings = await project.read('pyproject.toml');
  // Without a build system the project is not a package, but pip would try to build one.
  if (settings !== undefined && !/^\[build-system\]/m.test(settings))
    return {
      rule: 'pyproject.toml without a build system found: uv sync --no-dev',
      commands: [`${BIN}/pip install uv`, `${BIN}/uv sync --no-dev --inexact --python ${BIN}/python`],
    };
  if (settings !== undefined)
    return { rule: 'pyproject.toml found: pip install .', commands: [`${BIN}/pip install .`] };
  if (await project.has('manage.py'))
    return { rule: 'manage.py found: pip install django', commands: [`${BIN}/pip install django`] };
  return undefined;
};

const FACTORIES: readonly (Omit<Application, 'target'> & { readonly pattern: RegExp })[] = [
  {
    framework: 'FastAPI',
    kind: 'asgi',
    pattern: /^(\w+)[ \t]*(?::[^=\r\n\u2028\u2029]+)?=[ \t]*(?:fastapi\.)?FastAPI\(/m,
  },
  { framework: 'Starlette', kind: 'asgi', pattern: /^(\w+)[ \t]*=[ \t]*Starlette\(/m },
  { framework: 'Flask', kind: 'wsgi', pattern: /^(\w+)[ \t]*(?::[^=\r\n\u2028\u2029]+)?=[ \t]*(?:flask\.)?Flask\(/m },
];
const FACTORY = /^def (create_app|make_app)\(\s*(\)|\w+\s*=)/m;
/** Conventional names of frameworks and their guides come first. */
const LIKELY = ['app.py', 'main.py', 'wsgi.py', 'asgi.py', 'server.py', 'hello.py', 'application.py', 'run.py'];

/** The Django, FastAPI, Starlette or Flask application of the project. */
const applicationIn = async (project: Project): Promise<Application | undefined> => {
  const files = (await project.files('.', DEPTH)).filter(path => path.endsWith('.py'));
  if (await project.has('manage.py')) {
    for (const path of files) {
      const wsgi = /^WSGI_APPLICATION\s*=\s*["']([\w.]+)\.(\w+)["']/m.exec((await project.readBeginning(path)) ?? '');
      if (wsgi) return { framework: 'Django', kind: 'wsgi', target: `${wsgi[1]}:${wsgi[2]}` };
    }
    const wsgi = files.find(path => path.endsWith('/wsgi.py'));
    return wsgi === undefined
      ? undefined
      : { framework: 'Django', kind: 'wsgi', target: `${moduleOf(wsgi)}:application` };
  }
  for (const path of [...files].sort((one, other) => rank(one) - rank(other))) {
    const text = (await project.readBeginning(path)) ?? '';
    for (const { pattern, ...application } of FACTORIES) {
      const variable = pattern.exec(text)?.[1];
      if (variable) return { ...application, target: `${moduleOf(path)}:${variable}` };
    }
    const factory = /\bFlask\(/.test(text) ? FACTORY.exec(text)?.[1] : undefined;
    if (factory) return { framework: 'Flask', kind: 'wsgi', target: `'${moduleOf(path)}:${factory}()'` };
  }
  return undefined;
};

const rank = (path: string): number => {
  const likely = LIKELY.indexOf(path.split('/').at(-1) ?? '');
  return path.split('/').length * 100 + (likely < 0 ? 50 : likely);
};

const moduleOf = (path: string): string => path.replace(/(\/__init__)?\.py$/, '').replaceAll('/', '.');

const collectsStatic = async (project: Project): Promise<boolean> => {
  if (!(await project.has('manage.py'))) return false;
  for (const path of await project.files('.', DEPTH))
    if (
      /settings(\/\w+)?\.py$/.test(path) &&
      /^[ \t]*STATIC_ROOT[ \t]*=/m.test((await project.readBeginning(path)) ?? '')
    )
      return true;
  return false;
};

const startOf = async (application: Application | undefined, built: Project): Promise<Start | undefined> => {
  // Old versions of gunicorn cannot be run with `-m gunicorn`.
  if (application?.kind === 'wsgi')
    return commandStart(`${BIN}/python -m gunicorn.app.wsgiapp --bind "0.0.0.0:$PORT" ${application.target}`);
  if (application) return commandStart(`${BIN}/python -m uvicorn --host 0.0.0.0 --port "$PORT" ${application.target}`);
  for (const file of ['main.py', 'app.py', 'server.py'])
    if (await built.has(file)) return commandStart(`${BIN}/python ${file}`);
  return undefined;
};
