export { databasesOf } from './migrated-databases.js';
