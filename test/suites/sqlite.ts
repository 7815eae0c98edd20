import { runTestsIn } from './suite.ts'

await runTestsIn('event-store', 'event-store/sqlite')
