/**
 * One Jest project per tier, so that `jest --selectProjects domain` stays a matter of seconds.
 * swc compiles the sources of the workspace directly (the `postern-source` export condition), so no build has to
 * precede a test run; only the stories in e2e/ start the built services.
 */
const tier = (displayName, testMatch, testPathIgnorePatterns = []) => ({
  displayName,
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

export default {
  testTimeout: 30_000,
  projects: [
    tier(
      'domain',
      ['<rootDir>/{apps,libs,tools,e2e/faults}/**/*.spec.ts'],
      ['\\.int\\.spec\\.ts$', '\\.e2e\\.spec\\.ts$'],
    ),
    tier('integration', ['<rootDir>/{apps,libs,tools}/**/*.int.spec.ts']),
    tier('story', ['<rootDir>/e2e/src/*.e2e.spec.ts', '<rootDir>/e2e/src/platform/*.e2e.spec.ts']),
    tier('crash', ['<rootDir>/e2e/src/crash/*.e2e.spec.ts']),
  ],
};
