import type { Builder, BuildPlan } from './build-plan.js';
import { programStart } from './programs.js';
import type { Project } from './project.js';

const BUILD = 'mkdir -p bin && go build -o bin/ ./...';
const GO = [{ program: 'go', install: 'Go, on the path or in /usr/local/go/bin' }] as const;

/** Projects with a go.mod. The built programs are stored in `bin`, where Procfiles expect them. */
export const go: Builder = async (project, machine) => {
  const manifest = await project.read('go.mod');
  if (manifest === undefined) return undefined;
  const name =
    /^module\s+(\S+)/m
      .exec(manifest)?.[1]
      ?.replace(/\/v\d+$/, '')
      .split('/')
      .at(-1) ?? 'main';
  const usesCgo = /^[ \t]*(?:require[ \t]+)?github\.com\/mattn\/go-sqlite3\s/m.test(manifest) && machine.has('gcc');
  return {
    rules: [`go.mod found: ${BUILD}`, ...(usesCgo ? ['go-sqlite3 found: CGO_ENABLED=1'] : [])],
    isOnlyTools: !(await hasProgram(project)),
    command: BUILD,
    environment: { GOFLAGS: '-buildvcs=false', CGO_ENABLED: usesCgo ? '1' : '0', GOTOOLCHAIN: 'auto' },
    needs: GO,
    programs: 'bin',
    start: built => programStart(built, 'bin', [name]),
  } satisfies BuildPlan;
};

/** Whether the root folder or `cmd` has a program; others are tools of the project. */
const hasProgram = async (project: Project): Promise<boolean> => {
  const files = [...(await project.files('.', 0)), ...(await project.files('cmd', 1))].filter(
    path => path.endsWith('.go') && !path.endsWith('_test.go'),
  );
  for (const path of files) if (/^package main\b/m.test((await project.readBeginning(path)) ?? '')) return true;
  return false;
};
