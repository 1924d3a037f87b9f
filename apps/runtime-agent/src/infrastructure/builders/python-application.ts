import { dirname, relative } from 'node:path/posix';
import type { Project } from './project.js';

/** Modules of the web servers; installed if the project does not require them. */
export const SERVERS = { wsgi: 'gunicorn', asgi: 'uvicorn' } as const;
/** Levels of folders below the project in which an application is searched. */
export const DEPTH = 2;

export interface Application {
  readonly framework: string;
  readonly kind: keyof typeof SERVERS;
  /** The application argument of gunicorn and uvicorn. */
  readonly target: string;
  /** The folder on Python's search path from which the application imports its modules; undefined for the project's. */
  readonly folder?: string;
}

const FACTORIES: readonly (Pick<Application, 'framework' | 'kind'> & { readonly pattern: RegExp })[] = [
  {
    framework: 'FastAPI',
    kind: 'asgi',
    pattern: /^(\w+)[ \t]*(?::[^=\r\n\u2028\u2029]+)?=[ \t]*(?:fastapi\.)?FastAPI\(/m,
  },
  { framework: 'Starlette', kind: 'asgi', pattern: /^(\w+)[ \t]*=[ \t]*Starlette\(/m },
  { framework: 'Flask', kind: 'wsgi', pattern: /^(\w+)[ \t]*(?::[^=\r\n\u2028\u2029]+)?=[ \t]*(?:flask\.)?Flask\(/m },
];
/** A module that gets its application from a factory in another one. */
const CREATED = /^(\w+)[ \t]*=[ \t]*(?:create_app|make_app)\(/m;
const FACTORY = /^def (create_app|make_app)\(\s*(\)|\w+\s*=)/m;
/** Conventional names of frameworks and their guides come first. */
const LIKELY = ['app.py', 'main.py', 'wsgi.py', 'asgi.py', 'server.py', 'hello.py', 'application.py', 'run.py'];

/** The Django, FastAPI, Starlette or Flask application of the project. */
export const applicationIn = async (project: Project): Promise<Application | undefined> => {
  const files = (await project.files('.', DEPTH)).filter(path => path.endsWith('.py'));
  const django = await djangoFolder(project);
  if (django !== undefined) return djangoIn(project, django, files);
  let framework: Awaited<ReturnType<typeof frameworkIn>>;
  for (const path of [...files].sort((one, other) => rank(one) - rank(other))) {
    const text = (await project.readBeginning(path)) ?? '';
    const folder = importFolder(path, text, files);
    const module = moduleOf(folder === undefined ? path : path.slice(folder.length + 1));
    const within = folder === undefined ? {} : { folder };
    for (const { pattern, ...application } of FACTORIES) {
      const variable = pattern.exec(text)?.[1];
      if (variable) return { ...application, target: `${module}:${variable}`, ...within };
    }
    const created = CREATED.exec(text)?.[1];
    if (created !== undefined) framework ??= await frameworkIn(project, files);
    if (created !== undefined && framework) return { ...framework, target: `${module}:${created}`, ...within };
    const factory = /\bFlask\(/.test(text) ? FACTORY.exec(text)?.[1] : undefined;
    if (factory) return { framework: 'Flask', kind: 'wsgi', target: `'${module}:${factory}()'`, ...within };
  }
  return undefined;
};

/** The framework that a file of the project uses. */
const frameworkIn = async (
  project: Project,
  files: readonly string[],
): Promise<Pick<Application, 'framework' | 'kind'> | undefined> => {
  for (const path of files) {
    const text = (await project.readBeginning(path)) ?? '';
    const [, framework] = /\b(FastAPI|Starlette|Flask)\(/.exec(text) ?? [];
    if (framework !== undefined) return { framework, kind: framework === 'Flask' ? 'wsgi' : 'asgi' };
  }
  return undefined;
};

/** The folder of manage.py: the root folder, or the only other one; undefined in projects without Django. */
export const djangoFolder = async (project: Project): Promise<string | undefined> => {
  if (await project.has('manage.py')) return '.';
  const found = (await project.files('.', 1)).filter(path => path.endsWith('/manage.py'));
  return found.length === 1 ? dirname(found[0]!) : undefined;
};

const djangoIn = async (
  project: Project,
  folder: string,
  files: readonly string[],
): Promise<Application | undefined> => {
  const within = folder === '.' ? {} : { folder };
  const own = files.filter(path => folder === '.' || path.startsWith(`${folder}/`));
  const found = (target: string) => ({ framework: 'Django', kind: 'wsgi' as const, target, ...within });
  for (const path of own) {
    const wsgi = /^WSGI_APPLICATION\s*=\s*["']([\w.]+)\.(\w+)["']/m.exec((await project.readBeginning(path)) ?? '');
    if (wsgi) return found(`${wsgi[1]}:${wsgi[2]}`);
  }
  const wsgi = own.find(path => path.endsWith('/wsgi.py'));
  return wsgi === undefined ? undefined : found(`${moduleOf(relative(folder, wsgi))}:application`);
};

const rank = (path: string): number => {
  const likely = LIKELY.indexOf(path.split('/').at(-1) ?? '');
  return path.split('/').length * 100 + (likely < 0 ? 50 : likely);
};

const moduleOf = (path: string): string => path.replace(/(\/__init__)?\.py$/, '').replaceAll('/', '.');

/** The folder above the file in which most of the modules lie that it imports; the project's root folder comes first. */
const importFolder = (path: string, text: string, files: readonly string[]): string | undefined => {
  const imported = new Set([...text.matchAll(/^(?:from|import)[ \t]+([A-Za-z_]\w*)/gm)].map(([, name]) => name!));
  const folders = path.split('/').slice(0, -1);
  const candidates = ['', ...folders.map((_, index) => folders.slice(0, index + 1).join('/'))].map(folder => {
    const prefix = folder === '' ? '' : `${folder}/`;
    const inside = files.filter(file => file.startsWith(prefix)).map(file => file.slice(prefix.length).split('/')[0]!);
    const names = new Set(inside.map(name => name.replace(/\.py$/, '')));
    return { folder, found: [...imported].filter(name => names.has(name)).length };
  });
  const most = Math.max(...candidates.map(({ found }) => found));
  return candidates.find(({ found }) => found === most)?.folder || undefined;
};

/** The page of a Streamlit application: the first file of the root folder that uses it, by its name. */
export const streamlitPage = async (project: Project): Promise<string | undefined> => {
  const files = (await project.files('.', 0)).filter(path => path.endsWith('.py'));
  const order = ['streamlit_app.py', 'Home.py', ...LIKELY];
  const place = (path: string) => (order.includes(path) ? order.indexOf(path) : order.length);
  for (const path of files.toSorted((one, other) => place(one) - place(other)))
    if (usesModule(await project.readBeginning(path), 'streamlit')) return path;
  return undefined;
};

/** Whether a module imports another one. */
export const usesModule = (text: string | undefined, module: string): boolean =>
  new RegExp(`^(?:import|from)[ \\t]+${module}\\b`, 'm').test(text ?? '');
