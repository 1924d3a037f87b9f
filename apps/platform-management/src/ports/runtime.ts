export * from '@postern/runtime';
