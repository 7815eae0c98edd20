import { runTestsIn } from './run/suite.ts'

await runTestsIn('event-store/eventstoredb/service', 'users/instances')
