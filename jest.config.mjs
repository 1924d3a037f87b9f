/**
 * One Jest project per tier; the Nx targets `test`, `test:integration`, `e2e` and `e2e:crash` run them (nx.json).
 * swc compiles the sources of the workspace directly (the `postern-source` export condition), so unit tests need no
 * build; integration tests and the stories in e2e/ start programs that are built.
 */
const tier = (displayName, testMatch, testPathIgnorePatterns = []) => ({
  displayName,
  // Without node_modules, which would be searched for modules of ours.
  roots: ['apps', 'libs', 'tools', 'e2e'].map(folder => `<rootDir>/${folder}`),
  testMatch,
  testPathIgnorePatterns: ['/node_modules/', '/dist/', ...testPathIgnorePatterns],
  modulePathIgnorePatterns: ['/dist/'],
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['postern-source', 'node'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
});

// Nx sets it for every task; programs that a test starts would color what the test reads.
delete process.env.FORCE_COLOR;

export default {
  // A process that a failed test has left behind must not keep the run from ending.
  forceExit: true,
  testTimeout: 30_000,
  reporters: ['default', '<rootDir>/tools/setup/jest-counts.mjs'],
  projects: [
    tier(
      'unit',
      ['<rootDir>/{apps,libs,tools,e2e/faults}/**/*.spec.ts'],
      ['\\.int\\.spec\\.ts$', '\\.e2e\\.spec\\.ts$'],
    ),
    tier('integration', ['<rootDir>/{apps,libs,tools}/**/*.int.spec.ts']),
    tier('e2e', ['<rootDir>/e2e/src/*.e2e.spec.ts', '<rootDir>/e2e/src/platform/*.e2e.spec.ts']),
    tier('crash', ['<rootDir>/e2e/src/crash/*.e2e.spec.ts']),
  ],
};
