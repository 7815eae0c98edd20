import { runTestsIn } from './run/suite.ts'

await runTestsIn(
  'processes/**',
  'commands/**',
  'clock-correction',
  'read-models/**',
  'event-store',
  'event-store/sqlite',
  'copy',
  'backup',
)
