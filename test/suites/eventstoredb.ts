import { runTestsIn } from './run/suite.ts'

await runTestsIn(
  'event-store/eventstoredb',
  'event-store/eventstoredb/conformance',
  'event-store/eventstoredb/protocol',
  'event-store/eventstoredb/service',
)
