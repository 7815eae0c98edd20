import { runTestsIn } from './run/suite.ts'

await runTestsIn('event-store/eventstoredb', 'event-store/eventstoredb/service')
