import { runTestsIn } from './suite.ts'

await runTestsIn('event-store/eventstoredb/service')
