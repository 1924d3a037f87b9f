/** The stories of `npm test`: what a reader would name first. `npm run test:all` runs the tiers with all stories instead. */
const STORIES = [
  'sending-an-email', // with its webhook calls
  'sandbox',
  'platform/running-a-web-service', // deploys, rolls back, stops and starts it
  'crash/killed-service',
  'access-matrix',
  'local-start', // `npm start`
];

/**
 * One Jest project per tier; the Nx targets `test`, `test:integration`, `stories`, `e2e` and `e2e:crash` run them (nx.json).
 * Spec files run as modules of Node.js itself (tools/setup/native-jest) on the sources of the workspace, so unit tests
 * need no build; integration tests and the stories in e2e/ start programs that are built.
 */
const tier = (displayName, testMatch, testPathIgnorePatterns = []) => ({
  displayName,
  // Without node_modules, which would be searched for modules of ours.
  roots: ['apps', 'libs', 'tools', 'e2e'].map(folder => `<rootDir>/${folder}`),
  testMatch,
  testPathIgnorePatterns: ['/node_modules/', '/dist/', ...testPathIgnorePatterns],
  modulePathIgnorePatterns: ['/dist/'],
  testEnvironment: '<rootDir>/tools/setup/native-jest/environment.mjs',
  runtime: '<rootDir>/tools/setup/native-jest/runtime.mjs',
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  // Node.js itself waits for these.
  fakeTimers: { doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] },
  transform: {},
});

// Nx sets it for every task; programs that a test starts would color what the test reads.
delete process.env.FORCE_COLOR;

export default {
  // A process that a failed test has left behind must not keep the run from ending.
  forceExit: true,
  testTimeout: 60_000,
  reporters: ['default', '<rootDir>/tools/setup/jest-counts.mjs'],
  projects: [
    tier(
      'unit',
      ['<rootDir>/{apps,libs,tools,e2e/faults}/**/*.spec.ts'],
      ['\\.int\\.spec\\.ts$', '\\.e2e\\.spec\\.ts$'],
    ),
    tier('integration', ['<rootDir>/{apps,libs,tools}/**/*.int.spec.ts']),
    tier(
      'stories',
      STORIES.map(name => `<rootDir>/e2e/src/${name}.e2e.spec.ts`),
    ),
    tier('e2e', ['<rootDir>/e2e/src/*.e2e.spec.ts', '<rootDir>/e2e/src/platform/*.e2e.spec.ts']),
    tier('crash', ['<rootDir>/e2e/src/crash/*.e2e.spec.ts']),
  ],
};
