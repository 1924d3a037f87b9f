import { type Builder, type BuildPlan, commandStart } from './build-plan.js';
import { firstOf, type Project } from './project.js';
import {
  type Application,
  applicationIn,
  DEPTH,
  djangoFolder,
  SERVERS,
  streamlitPage,
  usesModule,
} from './python-application.js';
import { type Interpreter, interpreterFor } from './python-version.js';
import { quoted } from './quoted.js';
import type { Start } from './start.js';

const VENV_MODULE = 'Python 3 with its venv module (python3-venv on Debian and Ubuntu)';
const BIN = '.venv/bin';
const MAINS = ['main.py', 'app.py', 'server.py'] as const;
const STREAMLIT =
  '--server.address 0.0.0.0 --server.port "$PORT" --server.headless true --browser.gatherUsageStats false';
/** Arguments of `launch` in the program override these. */
const GRADIO = 'GRADIO_SERVER_NAME=0.0.0.0 GRADIO_SERVER_PORT="$PORT" ';
/** Old Pipfiles contain an obsolete host of PyPI. */
const PIPENV = `PIPENV_PYPI_MIRROR="\${PIP_INDEX_URL:-https://pypi.org/simple}" VIRTUAL_ENV="$PWD/.venv" ${BIN}/pipenv`;

/** Projects with requirements.txt, pyproject.toml, uv.lock, poetry.lock, Pipfile or manage.py. */
export const python: Builder = async (project, machine) => {
  const install = await installOf(project);
  if (!install) return undefined;
  const interpreter = await interpreterFor(project, machine);
  const application = await applicationIn(project);
  const rules = [install.rule, ...(interpreter.rule === undefined ? [] : [interpreter.rule])];
  const commands = [interpreter.create, ...install.commands.map(command => orNewer(command, interpreter))];
  if (application) {
    const server = SERVERS[application.kind];
    rules.push(`${application.framework} found: ${server} serves ${application.target}`);
    commands.push(`{ ${BIN}/python -c 'import ${server}' 2>/dev/null || ${BIN}/python -m pip install ${server}; }`);
  }
  const page = application === undefined ? await streamlitPage(project) : undefined;
  if (page !== undefined) rules.push(`Streamlit found: it runs ${page}`);
  const django = await djangoFolder(project);
  const collects = django === undefined ? undefined : await staticFilesOf(project);
  if (collects !== undefined) {
    rules.push('STATIC_ROOT found: manage.py collectstatic');
    const command = `${BIN}/python ${django === '.' ? '' : quoted(`${django}/`)}manage.py collectstatic --noinput`;
    commands.push(collects === 'always' ? command : `{ ${command} || echo '${NOT_COLLECTED}'; }`);
  }
  const isOnlyTools =
    application === undefined &&
    page === undefined &&
    django === undefined &&
    (await firstOf(project, MAINS)) === undefined;
  return {
    rules,
    isOnlyTools,
    installsNothing: install.isEmpty === true,
    command: commands.join(' && '),
    environment: {
      PIP_DISABLE_PIP_VERSION_CHECK: '1',
      POETRY_VIRTUALENVS_IN_PROJECT: '1',
    },
    needs: [{ program: interpreter.program, install: VENV_MODULE }],
    start: async built => startOf(application, page, built),
  } satisfies BuildPlan;
};

const ERRORS = '.pip-errors';

/** Runs an installation by pip once more with a newer Python, if packages require one and the project names none. */
const orNewer = (command: string, { newer }: Interpreter): string => {
  if (newer === undefined || !command.startsWith(`${BIN}/pip install -r `)) return command;
  const again = [
    `grep -q Requires-Python ${ERRORS}`,
    `echo 'A package requires a newer Python, and no file names a version: ${newer.program} is used'`,
    'rm -rf .venv',
    newer.create,
    command,
  ].join(' && ');
  return `{ ${command} 2>${ERRORS} || { cat ${ERRORS} >&2; ${again}; }; } && rm -f ${ERRORS}`;
};

interface Install {
  readonly rule: string;
  readonly commands: readonly string[];
  /** Whether nothing is to be installed. */
  readonly isEmpty?: boolean;
}

const installOf = async (project: Project): Promise<Install | undefined> => {
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
  const requirements = await project.readBeginning('requirements.txt');
  if (requirements !== undefined)
    return {
      isEmpty: !/^[ \t]*[^\s#]/m.test(requirements),
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

/** Whether the settings have a STATIC_ROOT; `maybe` if it depends on a condition. */
const staticFilesOf = async (project: Project): Promise<'always' | 'maybe' | undefined> => {
  for (const path of await project.files('.', DEPTH)) {
    if (!/settings(\/\w+)?\.py$/.test(path)) continue;
    const [, indent] = /^([ \t]*)STATIC_ROOT[ \t]*=/m.exec((await project.readBeginning(path)) ?? '') ?? [];
    if (indent !== undefined) return indent === '' ? 'always' : 'maybe';
  }
  return undefined;
};

const NOT_COLLECTED =
  'The static files are not collected: if the web service needs them, set the variables under which the settings set STATIC_ROOT';

const within = ({ folder }: Application, option: string): string =>
  folder === undefined ? '' : `--${option} '${folder}' `;

const startOf = async (
  application: Application | undefined,
  page: string | undefined,
  built: Project,
): Promise<Start | undefined> => {
  // Old versions of gunicorn cannot be run with `-m gunicorn`.
  if (application?.kind === 'wsgi')
    return commandStart(
      `${BIN}/python -m gunicorn.app.wsgiapp --bind "0.0.0.0:$PORT" ${within(application, 'pythonpath')}${application.target}`,
    );
  if (application)
    return commandStart(
      `${BIN}/python -m uvicorn --host 0.0.0.0 --port "$PORT" ${within(application, 'app-dir')}${application.target}`,
    );
  if (page !== undefined) return commandStart(`${BIN}/python -m streamlit run ${STREAMLIT} ${quoted(page)}`);
  for (const file of MAINS) {
    if (!(await built.has(file))) continue;
    const isGradio = usesModule(await built.readBeginning(file), 'gradio');
    return commandStart(`${isGradio ? GRADIO : ''}${BIN}/python ${file}`);
  }
  return undefined;
};
