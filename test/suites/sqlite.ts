import { runTestsIn } from './run/suite.ts'

await runTestsIn('event-store', 'event-store/sqlite')
