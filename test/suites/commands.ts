import { runTestsIn } from './run/suite.ts'

await runTestsIn('processes/**', 'commands/**', 'read-models/**', 'event-store', 'event-store/sqlite', 'archive')
